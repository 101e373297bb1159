  // What the page keeps on the visitor's machine, as it was before the first event.
  const areas = () => {
    // A document without an origin has none, and may not even ask.
    try {
      return [localStorage, sessionStorage];
    } catch {
      return [];
    }
  };
  const stored = () => areas().map((area) => {
    const items = new Map();
    for (let at = 0; at < area.length; at += 1) items.set(area.key(at), area.getItem(area.key(at)));
    return items;
  });
  let before = null;
  const remember = () => { before ??= stored(); };
  const keepsOther = () => before !== null && stored().some((now, at) => {
    const old = before[at] ?? new Map();
    return now.size !== old.size || [...now].some(([key, value]) => old.get(key) !== value);
  });
  const putBack = () => {
    if (before === null) return;
    areas().forEach((area, at) => {
      const old = before[at] ?? new Map();
      for (const key of stored()[at].keys()) if (!old.has(key)) area.removeItem(key);
      for (const [key, value] of old) if (area.getItem(key) !== value) area.setItem(key, value);
    });
  };
