// Browsers refuse web workers on pages that are opened from a folder (file://). The search of this site runs in one.
// On such pages this file replaces Worker by a class that runs the script in a hidden frame. On others it does nothing.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    #frame = document.createElement("iframe");
    #loaded;

    constructor(url) {
      super();
      this.#frame.hidden = true;
      this.#frame.srcdoc = "<!doctype html>";
      this.#loaded = new Promise((resolve, reject) => {
        this.#frame.addEventListener("load", () => this.#start(url, resolve, reject), { once: true });
      });
      document.body.append(this.#frame);
    }

    #start(url, resolve, reject) {
      const scope = this.#frame.contentWindow;
      scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = scope.document.createElement("script");
      script.src = url;
      script.addEventListener("load", () => resolve(scope));
      script.addEventListener("error", reject);
      scope.document.head.append(script);
    }

    async postMessage(data) {
      const scope = await this.#loaded;
      scope.dispatchEvent(new scope.MessageEvent("message", { data }));
    }

    terminate() {
      this.#frame.remove();
    }
  };
}
