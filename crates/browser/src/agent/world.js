// The crawler's own world of a document: the page's scripts cannot see or change what is here.
(() => {
  'use strict';
  // A page may have an element of that name, which the window would show.
  if (Object.prototype.hasOwnProperty.call(window, 'bathys')) return;
//PARTS
  const shadowOf = (element) => element.shadowRoot;
  // One observer says cheaply that nothing moved; shadow roots and frames are out of its sight, and
  // so are values that a user typed.
  let dirty = true;
  let known = '';
  let blind = false;
  const observer = new MutationObserver(() => { dirty = true; });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });

  const fingerprint = () => {
    if (observer.takeRecords().length) dirty = true;
    if (!dirty && !blind) return known;
    known = hashDocument(shadowOf);
    blind = !!document.querySelector('iframe,frame,input,select,textarea') || hasShadow();
    dirty = false;
    return known;
  };
  const hasShadow = () => {
    for (const element of document.querySelectorAll('*')) if (element.shadowRoot) return true;
    return false;
  };

  const away = (place) => {
    window.bathys.frame = place.frame;
    return { away: place.rest };
  };

  window.bathys = {
    frame: null,
    pathOf,
    pathsOf: (...elements) => elements.map((element) => element.nodeType === 1 ? pathOf(element) : ''),
    fingerprint,
    /// Elements of frames that the last walk could not see into.
    foreign: [],
    walk: (limits, boxes) => {
      window.bathys.foreign = [];
      return walk(limits, boxes, shadowOf, window.bathys.foreign);
    },
    fire: (action) => {
      const before = fingerprint();
      const place = locate(action);
      if (place.frame) return away(place);
      if (!place.element) return { found: false };
      dispatch(place.element, action.event, action.value);
      return { found: true, by: place.by, before };
    },
    aim: (action) => {
      const before = fingerprint();
      const place = locate(action);
      if (place.frame) return away(place);
      if (!place.element) return { found: false };
      return { found: true, by: place.by, before, ...centre(place.element) };
    },
    /// Asks for a frame; `drawn` says when it has come. This world's own request is not hooked.
    drawn: false,
    await: () => {
      window.bathys.drawn = false;
      requestAnimationFrame(() => { window.bathys.drawn = true; });
      return true;
    },
    /// Ends animations that would need frames to end; says whether there were any.
    finish: () => {
      let ended = 0;
      for (const animation of document.getAnimations()) {
        const timing = animation.effect && animation.effect.getComputedTiming();
        if (animation.playState === 'running' && timing && Number.isFinite(timing.endTime)) {
          animation.finish();
          ended++;
        }
      }
      return ended;
    },
    /// Where the page stands: its hash, its address, its clock, whether anything moves.
    look: () => ({
      hash: fingerprint(),
      url: location.href,
      clock: Date.now(),
      charset: document.characterSet,
      moving: document.getAnimations().some((animation) => animation.playState === 'running'),
    }),
  };
})()
