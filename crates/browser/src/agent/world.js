// The crawler's own world of a document: the page's scripts cannot see or change what is here.
((KEY) => {
  'use strict';
  // A page may have an element of that name, which the window would show.
  if (Object.prototype.hasOwnProperty.call(window, 'bathys')) return;
//PARTS
  const shadowOf = (element) => element.shadowRoot;
  const hash = fingerprinter(shadowOf);

  // The hooks answer from the page's world by an event, at once: that saves a message to the
  // browser and back. `null` if the page has lost them.
  let answer = null;
  const hear = (event) => { answer = event.detail; };
  const ask = (question) => {
    answer = null;
    // `document.open` takes listeners away; adding one that is there changes nothing.
    window.addEventListener(`${KEY}r`, hear);
    window.dispatchEvent(new CustomEvent(KEY, { detail: question }));
    return answer;
  };

  const away = (place) => {
    window.bathys.frame = place.frame;
    return { away: place.rest };
  };
  // What needs frames only to be looked at needs none; what is listened to does.
  const LISTENED = '[ontransitionend],[onanimationend],[ontransitionrun],[ontransitionstart],[onanimationstart]';
  let animated = false;
  let checked = 0;
  const moving = (state, now) => {
    if (now !== checked) {
      checked = now;
      animated = animated || !state || state.animated || document.querySelector(LISTENED) !== null;
    }
    return animated && ending().length > 0;
  };
  // Animations that will end; those without end are there to be looked at.
  const ending = () => document.getAnimations().filter((animation) => {
    const timing = animation.effect && animation.effect.getComputedTiming();
    return animation.playState === 'running' && timing && Number.isFinite(timing.endTime);
  });
  const refreshes = () => [...document.querySelectorAll('meta[http-equiv="refresh" i]')].slice(0, 8).flatMap((meta) => {
    const to = /^\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?(['"]?)(.*?)\1\s*$/is.exec(meta.content);
    if (!to || !to[2]) return [];
    try {
      const url = new URL(to[2], document.baseURI).href;
      return url === location.href ? [] : [url];
    } catch {
      return [];
    }
  });

  window.bathys = {
    frame: null,
    /// The element of a path, or the frame around it that this world may not see into.
    find: (path) => {
      const place = follow(path, shadowOf);
      return place.element || place.frame || null;
    },
    pathOf,
    pathsOf: (...elements) => elements.map((element) => element.nodeType === 1 ? pathOf(element) : ''),
    fingerprint: () => hash(ask({})),
    /// Elements of frames that the last walk could not see into.
    foreign: [],
    walk: (limits, boxes) => {
      window.bathys.foreign = [];
      return walk(limits, boxes, shadowOf, window.bathys.foreign);
    },
    /// Fires and says which timers wait, up to `most` milliseconds.
    fire: (action, most) => {
      const place = locate(action);
      if (place.frame) return away(place);
      if (!place.element) return { found: false };
      remember();
      const before = hash(ask({ mark: true }));
      dispatch(place.element, action.event, fill(action, place.element));
      return { found: true, by: place.by, before, waiting: ask({ most }) };
    },
    /// Goes one step back in the history, if that stays inside this document.
    back: () => {
      const here = window.navigation && navigation.currentEntry;
      const last = here && navigation.entries()[here.index - 1];
      if (!last || !last.sameDocument) return { found: false };
      remember();
      const before = hash(ask({ mark: true }));
      history.back();
      return { found: true, before };
    },
    aim: (action, most) => {
      const place = locate(action);
      if (place.frame) return away(place);
      if (!place.element) return { found: false };
      remember();
      const before = hash(ask({ mark: true }));
      return { found: true, by: place.by, before, ...centre(place.element), waiting: ask({ most }) };
    },
    /// Whether storage is other than before the first event; that storage, to be carried over a load; and
    /// what puts it back.
    keepsOther,
    kept: () => (before ?? stored()).map((area) => [...area]),
    keep: (areas) => { before = areas.map((area) => new Map(area)); },
    putBack,
    /// Asks for a frame; `drawn` says when it has come. This world's own request is not hooked.
    drawn: false,
    await: () => {
      window.bathys.drawn = false;
      requestAnimationFrame(() => { window.bathys.drawn = true; });
      return true;
    },
    /// Ends animations that would need frames to end; says whether there were any.
    finish: () => {
      const animations = ending();
      for (const animation of animations) animation.finish();
      return animations.length;
    },
    /// Where the page stands: its hash, its address, its clock, which timers wait, whether anything
    /// moves. Where it is scrolled to matters to observers only, and asking for it costs a layout.
    look: (most, load) => {
      const waiting = ask({ most });
      const now = hash(waiting);
      return {
        hash: now,
        url: location.href,
        clock: Date.now(),
        charset: document.characterSet,
        moving: moving(waiting, now),
        scrolled: waiting && waiting.observers > 0 ? Math.round(window.scrollY) : 0,
        refreshes: load ? refreshes() : [],
        waiting,
      };
    },
  };
})
