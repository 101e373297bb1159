//! One event: fired, judged, kept, and learned from.

use std::time::{Duration, Instant};

use browser::{Action, Detail, Exchange, Fired, Happenings};
use page::block::Looks;
use page::state::{Difference, event_key};
use page::tree::Dom;
use store::{Arrival, EventOutcome, EventStep, LinkFound, PageNumber, PathStep, StateId, Via};
use url::Url;

use crate::explore::agenda::{Came, Offer, Open, Place};
use crate::explore::judge::{shows_news, step_of};
use crate::explore::shown::{Shown, sum};
use crate::explore::walk::Promise;
use crate::explore::{Exploration, Last};
use crate::learn::trap::Of;
use crate::learn::{Claim, Class, Went, evidence};
use crate::machine::{TRIES, Trouble};
use crate::manners::gate::was_stopped;
use crate::visit::capture::{Seen, state_id};
use crate::visit::kept;

/// How far a page's clock may go on over one event.
const GRANTED: Duration = Duration::from_secs(60);

/// What an event did to the document.
enum Effect {
    /// Nothing that anyone could see.
    None,
    /// It shows a state of the document that is known.
    Known(StateId),
    /// It shows something that the origin did not hold.
    New(Box<Seen>),
    /// It shows less, or the same in another order.
    Revealed(Box<Seen>),
    /// It is gone, or the element was not there.
    Lost,
}

impl Exploration<'_> {
    /// Fires one event, sees what came of it, and keeps it.
    pub(crate) async fn fire(&mut self, state: StateId, open: &Open) -> Result<(), Trouble> {
        let crawl = self.crawl.clone();
        let Some(mut step) = self.saved(state, &open.offer, EventOutcome::Same) else {
            return Ok(());
        };
        crawl.meter.event();
        step.counts = vec![("events_fired", 1)];
        let begun = Instant::now();
        let tab = self.worker.tab().await?;
        let mut action = Action::from(&open.candidate);
        action.trusted = open.candidate.wants_trust;
        let fired = tab.fire(&action).await?;
        let exchanges = tab.take_exchanges().await?;
        let cost_ms = begun.elapsed().as_secs_f64() * 1000.0;
        crawl.count_exchanges(&mut step.counts, &exchanges);
        if was_stopped(&fired.happenings) {
            return Err(Trouble::Stopped);
        }
        if crawl.unanswered(&exchanges).is_some() && open.unanswered + 1 < TRIES {
            crawl.catalog.count(&self.agenda.site, step.counts).await?;
            self.fire_later(state, open, &fired);
            return Ok(());
        }
        if fired.late && fired.changed && open.unanswered + 1 < TRIES {
            // Where the page had got by itself is seen when it is loaded again.
            crawl.catalog.count(&self.agenda.site, step.counts).await?;
            (self.here, self.seen, self.last) = (None, None, None);
            self.agenda.put_last(state, Open { unanswered: open.unanswered + 1, ..open.clone() });
            return Ok(());
        }
        step.cost_ms = Some(cost_ms as i64);
        let mut effect = self.effect(state, open, &fired).await?;
        if !fired.happenings.refused.is_empty() {
            effect = self.without_apology(state, effect, fired.fingerprint);
        }
        tracing::debug!(
            "page {}: {} at {} '{}': {}, {:?}",
            step.page,
            open.offer.signature,
            open.candidate.path,
            open.candidate.text,
            effect.name(),
            fired.happenings
        );
        self.last = (self.here != Some(state)).then(|| Last::new(state, open, &fired.happenings));
        let (mut ways, refused) = crawl.ways(&open.offering(&self.agenda.url), &fired.happenings);
        self.learn_address(open, &effect, &ways, &fired.happenings);
        if ways.is_empty() {
            self.learn_repeat(state, open, &effect);
        }
        if open.comes_with_a_click && !matches!(effect, Effect::Lost) {
            let did_nothing =
                matches!(effect, Effect::None) && ways.is_empty() && refused.is_none();
            crawl.with_knowledge(|known| self.agenda.listen(known, &open.offer, did_nothing));
        }
        if matches!(effect, Effect::New(_) | Effect::Revealed(_)) {
            let keep = exchanges.into_iter().filter(|it| !it.late && worth_keeping(it));
            step.exchanges = keep.map(|exchange| kept(exchange, step.time)).collect();
        }
        match effect {
            Effect::New(seen) => {
                step.links = ways;
                return self.keep_new(state, &open.offer, step, *seen, cost_ms).await;
            }
            Effect::Known(to) if to != state => {
                let place = self.agenda.place(to);
                let Some((page, leads_to)) = place.map(|at| (at.page, at.page_type.clone())) else {
                    return Ok(());
                };
                self.meet(page, Some((step.page, &open.offer)));
                crawl.with_knowledge(|knowledge| knowledge.led(&open.offer.class, &leads_to));
                step.outcome = EventOutcome::Led(page);
                step.links = self.chosen(state, ways).await;
                self.agenda.walked(state, open.offer.step.clone(), to, cost_ms);
                self.learn_return(state, &open.offer, to);
                self.learn(state, &open.offer, Some(page), false);
                return Ok(self.outbox.send(step).await?);
            }
            Effect::Revealed(seen) => {
                step.outcome = EventOutcome::Reveal;
                let shown = self.agenda.place(state).map(|place| &place.links);
                let is_new =
                    |link: &LinkFound| !shown.is_some_and(|shown| shown.contains(&link.url));
                step.links = seen.links.iter().filter(|link| is_new(link)).cloned().collect();
            }
            Effect::Lost => step.outcome = EventOutcome::Lost,
            Effect::None | Effect::Known(_) => {}
        }
        // What only hides or reorders what was there brings nothing, unless links come with it.
        let is_effective = !step.links.is_empty();
        if is_effective {
            self.learn_news(0, true);
        }
        if !ways.is_empty() {
            let first = ways.remove(0);
            step.outcome = EventOutcome::Navigated(first.url);
            step.links.extend(ways);
            step.links = self.chosen(state, std::mem::take(&mut step.links)).await;
            let committed = crawl.catalog.commit_event(step).await?;
            self.found += u32::from(committed.is_new);
            if let Some(to) = committed.target {
                self.learn_news(to.0.unsigned_abs(), committed.is_new);
            }
            self.learn(state, &open.offer, committed.target, committed.is_new);
            if let Some(to) = committed.target {
                let Offer { class, signature, step: PathStep { text, .. } } = &open.offer;
                let url = &self.agenda.url;
                crawl.with_knowledge(|known| known.led_away(class, signature, url, to));
                // What leads to one page from everywhere, as a search button does, is an echo, too.
                crawl.with_knowledge(|known| known.added(class, text, to.0.unsigned_abs(), url));
            }
            return Ok(());
        }
        if let Some(because) = refused {
            step.outcome = EventOutcome::Refused(because);
        }
        step.links = self.chosen(state, std::mem::take(&mut step.links)).await;
        let own = self.agenda.place(state).map(|place| place.page);
        match step.outcome {
            // A pager's own number leads to where one is: that speaks for its class, too.
            EventOutcome::Same => self.learn(state, &open.offer, own, false),
            _ => self.note(&open.offer, is_effective, false),
        }
        if let Some(page) = own.filter(|_| !is_effective) {
            let revealed = matches!(step.outcome, EventOutcome::Reveal);
            crawl.with_knowledge(|known| {
                known.idled(&open.offer.class, page, revealed, &self.agenda.url);
            });
            if revealed {
                // What only hides adds nothing, here as elsewhere.
                let url = &self.agenda.url;
                let Offer { class, step, .. } = &open.offer;
                crawl.with_knowledge(|known| known.added(class, &step.text, 0, url));
            }
        }
        Ok(self.outbox.send(step).await?)
    }

    /// What an event shows without the answers that it asked for says nothing of it: it is fired again after the
    /// others of its state.
    fn fire_later(&mut self, state: StateId, open: &Open, fired: &Fired) {
        let shown = self.agenda.at(fired.fingerprint);
        self.here = shown.filter(|_| !fired.happenings.left_document);
        self.seen = self.seen.take().filter(|_| self.here == Some(state) && !fired.changed);
        self.last = (self.here != Some(state)).then(|| Last::new(state, open, &fired.happenings));
        self.agenda.put_last(state, Open { unanswered: open.unanswered + 1, ..open.clone() });
    }

    async fn effect(
        &mut self,
        state: StateId,
        open: &Open,
        fired: &Fired,
    ) -> Result<Effect, Trouble> {
        if fired.found.is_none() {
            return Ok(Effect::Lost);
        }
        if fired.happenings.left_document {
            (self.here, self.seen) = (None, None);
            return Ok(Effect::Lost);
        }
        if !fired.changed {
            return Ok(Effect::None);
        }
        if let Some(known) = self.agenda.at(fired.fingerprint) {
            self.here = Some(known);
            self.seen = self.seen.take().filter(|_| known == state);
            return Ok(if known == state { Effect::None } else { Effect::Known(known) });
        }
        let before = self.seen.take().filter(|_| self.here == Some(state));
        let seen = self.see().await?;
        let now = state_id(&seen.content);
        self.explain(open, before.as_ref(), &seen);
        if before.as_ref().is_some_and(|before| self.is_only_later(before, &seen)) {
            self.agenda.print(fired.fingerprint, state);
            self.seen = before;
            return Ok(Effect::None);
        }
        if self.agenda.place(now).is_some() {
            self.agenda.print(fired.fingerprint, now);
            self.here = Some(now);
            self.seen = Some(seen);
            return Ok(if now == state { Effect::None } else { Effect::Known(now) });
        }
        self.here = None;
        let place = self.agenda.place(state);
        let origin = place.and_then(|place| place.content.as_ref());
        // Where nobody knows what the origin showed, a state is kept rather than lost.
        let (mask, path) = (&self.agenda.mask, &open.candidate.path);
        let is_news = origin
            .is_none_or(|origin| shows_news(&seen, mask, path, |content| content.adds_to(origin)));
        let is_new_here = || shows_news(&seen, mask, path, |it| !self.agenda.shows_all(it));
        if !is_news || (!is_new_here() && !self.offers_more(&seen).await?) {
            return Ok(Effect::Revealed(Box::new(seen)));
        }
        self.agenda.print(fired.fingerprint, now);
        Ok(Effect::New(Box::new(seen)))
    }

    /// Whether something can be fired in what the tab shows that no state of the document offered.
    async fn offers_more(&mut self, seen: &Seen) -> Result<bool, Trouble> {
        let looked_at = self.crawl.settings.candidates;
        let candidates = self.worker.tab().await?.candidates().await?.list;
        let offers = candidates
            .iter()
            .filter(|it| looked_at.admits(&it.tag, &it.event))
            .map(|it| Offer::new(&seen.page_type, step_of(it)));
        Ok(offers.filter(|offer| self.agenda.offers(offer)).count() > 0)
    }

    /// What a page says about a request that we refused ("Could not connect") is no state of it, once
    /// it was said before.
    fn without_apology(&mut self, state: StateId, effect: Effect, print: u64) -> Effect {
        let (Effect::New(seen), Some(origin)) = (&effect, self.agenda.place(state)) else {
            return effect;
        };
        let added = sum(&Shown::of(&seen.dom).beyond(&origin.shown));
        match (self.crawl.with_knowledge(|k| k.apologised(added)), effect) {
            (true, Effect::New(seen)) => {
                self.agenda.forget_print(print);
                Effect::Revealed(seen)
            }
            (_, effect) => effect,
        }
    }

    /// Whether two looks differ in what a clock shows and in nothing else.
    fn is_only_later(&self, before: &Seen, after: &Seen) -> bool {
        before.content.id() != after.content.id()
            && Difference::between(&before.dom, &after.dom, &self.agenda.mask, GRANTED).is_equal()
    }

    /// Says why a state is held equal to its origin, or different from it.
    fn explain(&self, open: &Open, before: Option<&Seen>, after: &Seen) {
        if !self.crawl.settings.explain {
            return;
        }
        let Offer { signature, step, .. } = &open.offer;
        let known = self.agenda.place(state_id(&after.content)).map(|place| place.page);
        let verdict = match (known, before) {
            (Some(page), _) => format!("equal: the same texts, links and pictures as page {page}"),
            (None, Some(before)) => {
                Difference::between(&before.dom, &after.dom, &self.agenda.mask, GRANTED).to_string()
            }
            (None, None) => "different: no known state shows the same".to_owned(),
        };
        tracing::info!(
            target: "explain",
            "{}: {signature} at {}: {verdict}",
            self.agenda.url,
            step.xpath
        );
    }

    /// Looks at what the tab shows.
    pub(crate) async fn see(&mut self) -> Result<Seen, Trouble> {
        let tab = self.worker.tab().await?;
        let drift_ms = tab.drift_ms();
        let walk = tab.walk().await?;
        let url = Url::parse(&walk.url).or_else(|_| Url::parse(&self.agenda.url));
        let url = url.map_err(|_| Trouble::Strayed("its document has no URL".into()))?;
        let mut seen = self.crawl.look(|| walk.dom, walk.frames, &url, &self.agenda.mask).await?;
        seen.drift_ms = drift_ms;
        Ok(seen)
    }

    /// How a state that is to be kept looks: asked for only then, since it costs more than the tree.
    async fn looks(&mut self, dom: &Dom) -> Result<Option<Looks>, Trouble> {
        let walk = self.worker.tab().await?.walk_with(Detail::Boxes).await?;
        // Looks are told by node: of another tree they say nothing.
        Ok(walk.looks.filter(|_| walk.dom == *dom))
    }

    /// Keeps a state that nobody had met in this document, and looks around in it.
    pub(crate) async fn keep_new(
        &mut self,
        state: StateId,
        offer: &Offer,
        mut step: EventStep,
        mut seen: Seen,
        cost_ms: f64,
    ) -> Result<(), Trouble> {
        let crawl = self.crawl.clone();
        seen.looks = self.looks(&seen.dom).await?;
        let now = state_id(&seen.content);
        let nearer = crawl.with_knowledge(|k| self.agenda.nearest_offer(k, offer, state));
        let (Some(origin), Some(mut walk)) =
            (self.agenda.place(nearer.unwrap_or(state)), self.agenda.walk_to(state))
        else {
            return Ok(());
        };
        let mut path = origin.path.clone();
        path.push(offer.step.clone());
        walk.push(offer.step.clone());
        let depth = origin.depth;
        step.depth = depth;
        let named = path.iter().map(|step| (step.event.as_str(), step.instruction.as_str()));
        let mut capture = seen.capture(None, Via::Browser, None);
        capture.run = crawl.run;
        let url = &self.agenda.url;
        let mask = crawl.mask(&crawl.site, url, "").await?;
        crawl.cut_first(url, &mut seen, &mut capture, Vec::new(), mask).await?;
        let expected = match self.agenda.place(state).map(|at| self.promise(at.page, offer)) {
            Some(Promise::State(page)) => Some(page),
            Some(Promise::Unknown | Promise::Nothing) | None => None,
        };
        let arrival = Arrival {
            capture,
            url: self.agenda.url.clone(),
            key: event_key(&self.agenda.url, named),
            path: path.clone(),
            expected,
        };
        step.outcome = EventOutcome::Arrived(Box::new(arrival));
        step.explore = crawl.is_worth_returning_to(&seen.page_type);
        let route = self.route(&step, &seen).await?;
        if route.is_some() {
            step.explore &= !crawl.with_routes(|routes| routes.hold());
            step.goes_on = false;
        }
        let shown = Shown::of(&seen.dom);
        let added = self.agenda.place(state).map(|origin| shown.beyond(&origin.shown));
        let added = added.unwrap_or_default();
        let aim = crawl.aim_at(depth);
        // On a walk, what is known to be behind a state is looked for.
        let may_be_echo = step.explore && expected.is_none();
        let is_echo = may_be_echo && !crawl.with_knowledge(|k| k.enters(sum(&added), &aim));
        step.explore &= !is_echo;
        step.links.extend(seen.links.iter().cloned());
        step.links = crawl.choose(&seen.page_type, std::mem::take(&mut step.links)).await;
        self.outbox.flush().await?;
        let at = step.page;
        let committed = crawl.catalog.commit_event(step).await?;
        let Some(page) = committed.target else { return Ok(()) };
        let is_known = self.walk.as_ref().is_some_and(|walk| walk.knows(page));
        self.meet(page, Some((at, offer)));
        if is_echo && committed.is_new {
            crawl.leave_events(&offer.class, page, depth + 1, Claim::Echo).await?;
        }
        self.agenda.walked(state, offer.step.clone(), now, cost_ms);
        self.learn(state, offer, Some(page), committed.is_new);
        self.learn_news(sum(&added), committed.is_new);
        self.learn_addition(state, offer, &added);
        if let Some(route) = route {
            crawl.with_routes(|routes| routes.led(&route, page, added.clone()));
        }
        let leads_to = seen.page_type.clone();
        crawl.with_knowledge(|knowledge| knowledge.led(&offer.class, &leads_to));
        if walk != path {
            self.agenda.walked_to(page, walk);
        }
        let mut place = Place::new(page, seen.page_type.clone(), depth + 1, path);
        place.added = sum(&added);
        place.show(&seen);
        // A state that another document owns, or an earlier run explored, is only a place to pass.
        place.is_known = !committed.explore;
        place.is_closed = !committed.explore;
        if committed.is_new {
            self.found += 1;
            crawl.meter.page();
            let chained = place.trail.iter().filter(|turn| turn.is_of(&offer.class)).count() > 1;
            let before = self.agenda.place(state).and_then(|origin| origin.content.as_ref());
            let grown = before.is_some_and(|before| !before.adds_to(&seen.content));
            crawl.with_knowledge(|known| known.continued(&offer.class, chained, grown));
            // What was kept before may go on and on and say nothing new: it did so before.
            if !is_known {
                self.watch_for_a_trap(offer, chained, &seen);
            }
        }
        self.agenda.enter(now, place);
        self.here = Some(now);
        self.seen = Some(seen);
        Ok(())
    }

    /// The address that a state is shown under, if that is not the document's and is visited by itself.
    async fn route(&self, step: &EventStep, seen: &Seen) -> Result<Option<String>, Trouble> {
        if seen.url == self.agenda.address {
            return Ok(None);
        }
        let is_followed = step.links.iter().any(|link| link.url == seen.url)
            || self.crawl.catalog.find(&seen.url).await?.is_some();
        Ok(is_followed.then(|| seen.url.clone()))
    }

    /// Learns whether a link does what its address says, and no more.
    fn learn_address(
        &self,
        open: &Open,
        effect: &Effect,
        ways: &[LinkFound],
        happenings: &Happenings,
    ) {
        let Some(address) = &open.address else { return };
        let goes_there = !ways.is_empty() && ways.iter().all(|way| way.url == *address);
        let went = match effect {
            Effect::None if goes_there => Went::AsAddressed,
            // Who leads to where one is, or is refused, says nothing about the others.
            Effect::None if ways.is_empty() => return,
            Effect::Lost => return,
            _ if goes_there && happenings.navigations.iter().all(|to| to.same_document) => {
                Went::ByRoute
            }
            _ => Went::Astray,
        };
        let document = &self.agenda.url;
        self.crawl.with_knowledge(|k| k.clicked(&open.offer.class, document, went));
    }

    /// Learns whether what an event added to the page, or led it to, is of this page alone.
    fn learn_news(&mut self, added: u64, is_new: bool) {
        let url = &self.agenda.url;
        if self.crawl.with_knowledge(|known| known.is_added_elsewhere(added, url)) {
            self.crawl.page_types.is_common(added);
        } else if is_new {
            self.news.insert(added);
        }
    }

    /// Learns what an event adds to a page. What its like never added speaks for all events on the way.
    fn learn_addition(&self, state: StateId, offer: &Offer, added: &[u64]) {
        let Some(origin) = self.agenda.place(state) else { return };
        let url = &self.agenda.url;
        let Offer { class, step, .. } = offer;
        if self.crawl.with_knowledge(|k| k.added(class, &step.text, sum(added), url)) {
            return;
        }
        let find = |path: &[PathStep]| {
            let mut places = self.agenda.places().map(|(_, place)| place);
            places.find(|place| place.path == path)
        };
        for (at, step) in origin.path.iter().enumerate() {
            let (before, after) = (origin.path.get(..at), origin.path.get(..=at));
            let Some(before) = before.and_then(find) else { continue };
            let class = Class::of(&before.page_type, step);
            let added = after.and_then(find).map_or(0, |place| place.added);
            self.crawl.with_knowledge(|knowledge| knowledge.opened(&class, added));
        }
    }

    /// Learns whether a step shows anything new that was taken in this document before.
    fn learn_repeat(&mut self, state: StateId, open: &Open, effect: &Effect) {
        let Some(origin) = self.agenda.place(state) else { return };
        let beyond = |shown: &Shown| sum(&shown.beyond(&origin.shown));
        let added = match effect {
            Effect::None => 0,
            Effect::New(seen) | Effect::Revealed(seen) => beyond(&Shown::of(&seen.dom)),
            Effect::Known(to) => match self.agenda.place(*to).map(|place| &place.shown) {
                Some(shown) if !shown.is_empty() => beyond(shown),
                // Of a state that waited in the catalog nobody knows yet what it shows.
                _ => return,
            },
            Effect::Lost => return,
        };
        let came = Came { added, is_news: matches!(effect, Effect::New(_)) };
        let trail = origin.trail.clone();
        let url = self.agenda.url.clone();
        if let Some(is_refuted) = self.agenda.taken(&open.offer, &trail, &came) {
            let class = &open.offer.class;
            let of = evidence(url.as_str());
            self.crawl.with_knowledge(|k| k.tested(class, Claim::Repeat, of, !is_refuted));
        }
    }

    /// Learns what an event adds that leads to a state which is known.
    fn learn_return(&self, state: StateId, offer: &Offer, to: StateId) {
        let (Some(origin), Some(target)) = (self.agenda.place(state), self.agenda.place(to)) else {
            return;
        };
        // Of a state that waited in the catalog nobody knows yet what it shows.
        if !target.shown.is_empty() {
            let added = sum(&target.shown.beyond(&origin.shown));
            let url = &self.agenda.url;
            let Offer { class, step, .. } = offer;
            self.crawl.with_knowledge(|k| k.added(class, &step.text, added, url));
        }
    }

    /// Ends a class of events that leads on and on and brings nothing new.
    fn watch_for_a_trap(&self, offer: &Offer, leads_on: bool, seen: &Seen) {
        let Ok(url) = Url::parse(&self.agenda.url) else { return };
        let series = self.series(offer);
        let met = self.crawl.traps.meet(&series, Of::States, leads_on, &seen.dom, &url);
        if let Some(trap) = met.trap {
            tracing::warn!("stopped: {trap}");
        }
        if met.reopened || !met.is_news {
            let (class, of) = (&offer.class, evidence(state_id(&seen.content).0));
            let held = !met.reopened;
            self.crawl.with_knowledge(|known| known.tested(class, Claim::Series, of, held));
        }
    }

    /// Learns from an event: what its class does, and where its instruction leads.
    fn learn(&mut self, state: StateId, offer: &Offer, to: Option<PageNumber>, is_new: bool) {
        let Some(place) = self.agenda.place(state) else { return };
        let (from, trail) = (place.page, place.trail.clone());
        let is_effective = to.is_some_and(|to| to != from);
        self.note(offer, is_effective, is_new);
        let Some(to) = to else { return };
        let crawl = self.crawl.clone();
        crawl.with_knowledge(|knowledge| self.agenda.learn(knowledge, offer, &trail, from, to));
    }

    fn note(&self, offer: &Offer, is_effective: bool, is_new: bool) {
        let path = &offer.step.xpath;
        self.crawl.with_knowledge(|k| k.fired(&offer.class, path, is_effective, is_new));
    }

    /// The links of a state that are worth following, with what robots.txt says about them.
    async fn chosen(&self, state: StateId, links: Vec<LinkFound>) -> Vec<LinkFound> {
        if links.is_empty() {
            return links;
        }
        let page_type = self.agenda.place(state).map(|place| place.page_type.clone());
        self.crawl.choose(&page_type.unwrap_or_default(), links).await
    }
}

impl Last {
    fn new(from: StateId, open: &Open, happenings: &Happenings) -> Self {
        Self {
            from,
            action: Action::from(&open.candidate),
            class: open.offer.class.clone(),
            moved: happenings.navigations.iter().any(|to| to.same_document),
        }
    }
}

impl Effect {
    fn name(&self) -> &'static str {
        match self {
            Self::None => "nothing changed",
            Self::Known(_) => "a known state",
            Self::New(_) => "a new state",
            Self::Revealed(_) => "revealed",
            Self::Lost => "lost",
        }
    }
}

/// Exchanges of an event that say something a page shows: pictures and styles come with the page.
fn worth_keeping(exchange: &Exchange) -> bool {
    !matches!(exchange.resource_type.as_str(), "Stylesheet" | "Font" | "Script" | "Ping")
}
