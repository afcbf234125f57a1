// Returns the serious and critical findings of axe-core, of all rules or of the given ones.
async (rules) => {
  const runOnly = rules.length ? { runOnly: rules } : {};
  const { violations } = await axe.run(document, { resultTypes: ['violations'], ...runOnly });
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return grave.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id}: ${html} ${any[0]?.message ?? ''}`));
}
