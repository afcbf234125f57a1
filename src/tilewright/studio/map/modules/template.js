// Layout of the canvas: bar, palette, tools, map, timeline and status line.

export const template = `
<div class="tw-map" :class="{ 'tw-simple': simple, 'tw-filmed': frames || isWaiting }" data-testid="map"
  :data-width="width" :data-height="height"
  :data-depth="depth" :data-level="level" :data-key="mapKey" :data-zoom="zoom.toFixed(3)" :data-frame="frame"
  :data-frames="frames" :data-tool="tool" :data-tile="tiles[tile]?.name" :data-selected="selectedCount"
  :data-locked="lockedCount" :data-painted="painted" :data-busy="isBusy || null">

  <div class="tw-bar">
    <slot></slot>
    <q-btn v-if="!simple" dense unelevated no-caps icon="autorenew" class="tw-regenerate"
      :class="{ 'tw-pending': pending }" aria-label="Rebuild around locks" data-testid="regenerate" :disable="!mapKey"
      @mousedown.prevent @click="$emit('regenerate')">
      <span class="tw-word">Rebuild around locks</span>
      <span v-if="pending && painted" class="tw-count">{{ painted.toLocaleString("en") }} painted</span>
      <q-tooltip>Make the map again with the same seed; locked cells stay (Enter)</q-tooltip>
    </q-btn>
    <q-btn v-if="!simple" dense unelevated no-caps icon="sports_esports" class="tw-regenerate" aria-label="Play the map"
      data-testid="play-map" :disable="!canEdit" @mousedown.prevent @click="startGame">
      <span class="tw-word">Play</span>
      <q-tooltip>Play the map (Y)</q-tooltip>
    </q-btn>
    <div class="tw-space"></div>
    <tool-button class="tw-phone-only" icon="visibility" name="View" test="open-view"
      :popovertarget="'tw-view-' + $.uid" />
    <div class="tw-view tw-sheet" popover="auto" :id="'tw-view-' + $.uid" role="group" aria-label="View">
      <div v-if="depth > 1" class="tw-levels">
        <span class="tw-faint">level {{ level }}</span>
        <q-slider dense class="tw-level" :model-value="level" :min="0" :max="depth - 1" aria-label="Level"
          data-testid="level" @update:model-value="goToLevel" />
      </div>
      <tool-button icon="texture" name="Sprites or colors" :on="sprites" test="sprites"
        @press="changeView({ sprites: !sprites })" />
      <tool-button icon="grid_4x4" name="Grid" hint="G" :on="grid" test="grid" @press="changeView({ grid: !grid })" />
      <q-btn v-if="overlays.length" flat dense no-caps class="tw-button tw-wide tw-wide-only"
        :class="{ 'tw-on': chosenOverlay }" icon="layers" data-testid="overlays"
        :aria-label="'Overlay: ' + (chosenOverlay ? overlayLabel : 'none')" @mousedown.prevent>
        <span class="tw-word">{{ overlayLabel }}</span>
        <q-tooltip v-if="!isMenuOpen">Overlay on the map</q-tooltip>
        <q-menu v-model="isMenuOpen" anchor="bottom right" self="top right" class="tw-menu">
          <overlay-list :options="overlayOptions" :chosen="chosenOverlay" @choose="chooseOverlay" />
        </q-menu>
      </q-btn>
      <span class="tw-rule"></span>
      <tool-button icon="remove" name="Zoom out" hint="−" test="zoom-out" @press="stepZoom(-1)" />
      <span class="tw-zoom" data-testid="zoom" title="Pixels per cell">{{ zoomLabel }}</span>
      <tool-button icon="add" name="Zoom in" hint="+" test="zoom-in" @press="stepZoom(1)" />
      <tool-button icon="fit_screen" name="Fit" hint="0 or F" test="fit" @press="fit" />
      <tool-button text="1:1" name="Original size of sprites, 1:1" hint="Shift+0" test="actual-size"
        @press="actualSize" />
      <tool-button v-if="!simple" class="tw-phone-only" icon="movie" name="Animate the generation" test="animate"
        :popovertarget="'tw-view-' + $.uid" popovertargetaction="hide" @press="togglePlaying" />
      <overlay-list v-if="overlays.length" class="tw-phone-only" test="sheet-overlay" :options="overlayOptions"
        :chosen="chosenOverlay" @choose="chooseOverlay" />
    </div>
  </div>

  <landmark-card v-if="chosenHere && isNarrow()" ref="card" class="tw-docked" v-bind="cardProps"
    @change="changeLandmark(chosenHere.number, $event)" @remove="removeChosen" @close="chooseLandmark(-1)" />
  <landmark-palette v-else-if="isLandmarkTool" :tool="tool" :suggested="suggested" :kinds="markerKinds"
    :icons="scene?.icons" :name="markerName" @tool="tool = $event" @choose="markerName = $event" />
  <tile-palette v-else :tiles="tiles" :sheet="sprites ? sheet : null" :tile="tile" @choose="choose" />

  <div class="tw-middle">
    <div class="tw-tools" role="toolbar" aria-label="Tools">
      <tool-button v-for="one in tools" :key="one.name" side :icon="one.icon" :name="one.label" :hint="one.hint"
        :on="tool === one.name" :test="'tool-' + one.name" @press="tool = one.name" />
      <tool-button class="tw-phone-only" icon="lock" name="Brush size and locks" test="open-locks"
        :popovertarget="'tw-locks-' + $.uid" />
      <div class="tw-locks tw-sheet" popover="auto" :id="'tw-locks-' + $.uid" role="group"
        :aria-label="simple ? 'Brush size' : 'Brush size and locks'">
        <div class="tw-size" :class="{ 'tw-dim': tool !== 'brush' }">
          <button aria-label="Smaller brush" data-testid="thinner" @mousedown.prevent @click="resizeBrush(-1)">−
            <q-tooltip anchor="center right" self="center left">Smaller brush ([)</q-tooltip></button>
          <span data-testid="brush-size">{{ size }}</span>
          <button aria-label="Larger brush" data-testid="thicker" @mousedown.prevent @click="resizeBrush(1)">+
            <q-tooltip anchor="center right" self="center left">Larger brush (])</q-tooltip></button>
        </div>
        <template v-if="!simple">
          <span class="tw-rule"></span>
          <tool-button side icon="enhanced_encryption" :on="locking" test="locking" @press="locking = !locking"
            :name="locking ? 'Painted cells are locked' : 'Painted cells are not locked'" />
          <tool-button side icon="lock" name="Lock the selection" hint="L" :disable="!selectedCount" test="lock"
            @press="lockSelection" />
          <tool-button side icon="lock_open" name="Unlock the selection" hint="U" test="unlock"
            :disable="!selectedCount || !lockedCount" @press="unlockSelection" />
          <tool-button side icon="no_encryption" name="Unlock all" :disable="!lockedCount" test="unlock-all"
            @press="unlockAll" />
        </template>
      </div>
    </div>
    <div class="tw-field" ref="field">
      <canvas ref="canvas" :class="'tw-' + cursor" @pointerdown="down" @pointermove="move" @pointerup="up"
        @pointercancel="cancel" @pointerleave="leave" @contextmenu.prevent @dblclick="chosenHere && renameChosen()"
        aria-label="Map" role="img"></canvas>
      <marker-legend v-if="!simple && isLast && !progressNote" :kinds="markerKinds" :icons="scene?.icons"
        :hidden="hiddenMarkers" :highlighted="highlighted" :opened="isLandmarkTool && !isNarrow()"
        @highlight="toggleHighlight" @hide="toggleHidden" />
      <landmark-card v-if="chosenHere && !isNarrow()" ref="card" v-bind="cardProps"
        @change="changeLandmark(chosenHere.number, $event)" @remove="removeChosen" @close="chooseLandmark(-1)" />
      <div v-if="isBusy" class="tw-progress" :class="{ 'tw-endless': done === null }" data-testid="progress">
        <div :style="{ width: (done ?? 1) * 100 + '%' }"></div>
      </div>
      <div class="tw-captions">
        <div v-if="legend && isLast && !progressNote" class="tw-caption" data-testid="legend">{{ legend }}</div>
        <div v-if="progressNote" class="tw-caption">{{ progressNote }}</div>
      </div>
      <div v-if="!isLast" class="tw-badge" data-testid="frame-badge">
        <b>frame {{ frame + 1 }} of {{ frames }}</b><span v-if="frameNote"> · {{ frameNote }}</span>
      </div>
      <div v-if="!mapKey && !progressNote" class="tw-empty" data-testid="empty">
        <q-icon :name="isBusy ? 'hourglass_empty' : 'map'" size="34px" />
        <div>{{ isBusy ? "The map is being made …" : "The map will appear here." }}</div>
      </div>
      <slot name="over"></slot>
    </div>
  </div>

  <timeline-bar v-if="!simple" :frame="frame" :frames="frames" :playing="playing" :waiting="isWaiting" :speed="speed"
    :loop="loop" :ready="Boolean(mapKey)" @play="togglePlaying" @go="scrub" @step="step" @speed="speed = $event"
    @loop="loop = !loop" />
  <status-line :pointer="pointer" :depth="depth" :facts="facts || sizeLabel" :note="note" :locked="lockedCount"
    :selected="selectedCount" />
</div>`;
