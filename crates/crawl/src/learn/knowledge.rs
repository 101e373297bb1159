//! What is known of each class: how often it was fired, what came of it, and whether the next
//! member is worth an event (seed 000's patterns, with their yield).

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use store::PageNumber;
use xxhash_rust::xxh3::Xxh3;

use super::address::anywhere;
use super::claim::{Claim, Evidence};
use super::class::{Class, Label, call_of};
use super::echo::{Addition, EchoesByLabel};
use super::verdict::{Reach, Verdicts};

/// Tries that only hide or reorder after which a class is idle.
const IDLE_TRIES: u32 = 3;
/// Pages on which all members did nothing after which it is.
const IDLE_PAGES: usize = 3;
/// Documents in which the same steps did nothing, on pages of any type, after which they are not tried first
/// on each further type.
const IDLE_ANYWHERE: u32 = 8;
/// Tries that lead to nothing new after which a class is redundant.
const REDUNDANT_TRIES: u32 = 3;
/// Members of a class of links that are followed to see where it leads.
const LINK_TRIES: u32 = 2;
/// States of a type that must be explored before it is said that events do nothing there.
const INERT_SAMPLES: u32 = 3;
/// Paths kept of a class, to generalise from.
const PATHS: usize = 8;
/// Classes that are remembered. A site that makes up handlers without end is not learned from.
const MOST_CLASSES: usize = 20_000;
/// Signatures that are remembered as fickle, and answers that hold site-wide.
const MOST_SIGNATURES: usize = 20_000;

/// Why members of a redundant class are not fired.
pub(crate) const REDUNDANT: &str =
    "steps of this kind only led to pages that are found without them";

/// What is known of a class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Learned {
    /// Members fired, or followed.
    pub(crate) fired: u32,
    /// Of these, how many changed the page or led elsewhere.
    pub(crate) effective: u32,
    /// Of these, how many led to a page that nobody had seen, and that was wanted if anything was.
    pub(crate) new: u32,
    /// Members not fired because of what is known.
    pub(crate) skipped: u32,
    /// Page types that it led to, and how often.
    pub(crate) leads_to: BTreeMap<String, u32>,
    /// Where members stood that led somewhere.
    pub(crate) paths: Vec<String>,
    /// Whether members mean the same everywhere.
    pub(crate) verdicts: Verdicts,
    /// Members that only hid or reordered what was there.
    #[serde(default)]
    pub(crate) revealed: u32,
    /// Pages on which members did nothing; the first few.
    #[serde(default)]
    pub(crate) idle_on: Vec<i64>,
    /// New states that it led to from a state that it had led to: it makes a sequence.
    #[serde(default)]
    pub(crate) chained: u32,
    /// New states that showed all of their origin and more: the sequence grows (load more, endless
    /// scrolling) where others turn (a pager).
    #[serde(default)]
    pub(crate) grown: u32,
    /// How often known edges led back after it, less how often they did not.
    #[serde(default)]
    pub(crate) rounds: i32,
    /// How often firing it once more undid it, less how often it did not.
    #[serde(default)]
    pub(crate) toggles: i32,
    /// What it adds to pages, and whether that is the same on all.
    #[serde(default, rename = "echoes_by_label")]
    pub(crate) echoes: EchoesByLabel,
    /// Links of it that went where their address says, and did nothing else.
    #[serde(default)]
    pub(crate) addressed: u32,
    /// Links of it whose place a script took, under their address.
    #[serde(default)]
    pub(crate) routed: u32,
    /// One of them did something else. It is never forgiven.
    #[serde(default)]
    pub(crate) strayed: bool,
    /// What is claimed of it, and how far that held.
    #[serde(default)]
    pub(crate) claims: BTreeMap<Claim, Evidence>,
}

impl Learned {
    /// It was tried and never did anything.
    pub(crate) fn is_idle(&self) -> bool {
        // What does nothing costs next to nothing, and one of many may do something: all are tried
        // on a few pages. What hides or reorders has to be undone each time.
        self.effective == 0 && (self.idle_on.len() >= IDLE_PAGES || self.revealed >= IDLE_TRIES)
    }

    /// All that it leads to is found without it.
    pub(crate) fn is_redundant(&self) -> bool {
        self.fired >= REDUNDANT_TRIES && self.new == 0
    }

    /// Adds what is known of a class that turned out to be this one.
    fn absorb(&mut self, other: Self) {
        self.fired = self.fired.saturating_add(other.fired);
        self.effective = self.effective.saturating_add(other.effective);
        self.new = self.new.saturating_add(other.new);
        self.skipped = self.skipped.saturating_add(other.skipped);
        for (to, times) in other.leads_to {
            *self.leads_to.entry(to).or_default() += times;
        }
        self.paths.extend(other.paths);
        self.paths.truncate(PATHS);
        self.verdicts.absorb(&other.verdicts);
        self.echoes.absorb(other.echoes);
        for (claim, evidence) in &other.claims {
            self.claim(*claim).absorb(evidence);
        }
    }

    /// What was seen of a claim, to add to.
    pub(super) fn claim(&mut self, claim: Claim) -> &mut Evidence {
        self.claims.entry(claim).or_default()
    }
}

/// What the crawl is after, and which filters may keep it from firing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aim {
    /// Whether the pattern filter is on.
    pub(crate) patterns: bool,
    /// Whether the instruction filter is on.
    pub(crate) instructions: bool,
    /// Page types that the user wants; everything, if there are none.
    pub(crate) wanted: HashSet<String>,
    /// Whether what no model knows is tried.
    pub(crate) explores: bool,
    /// Whether what claims speak for is taken all the same: it is only counted how often they are wrong.
    pub(crate) takes_all: bool,
    /// Whether it is here to learn from the start alone: links are followed to see where their like
    /// leads, and no further.
    pub(crate) trains: bool,
}

impl Aim {
    /// Whether it is after all that there is, and leaves out only what claims speak for.
    pub(crate) fn is_after_all(&self) -> bool {
        self.patterns && self.wanted.is_empty() && self.explores && !self.trains
    }
}

/// Whether a candidate is worth firing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Judgement {
    /// It is.
    Fire,
    /// It is not, by what is claimed of its class, and is fired all the same to see whether that holds.
    Audit,
    /// It is not, and this is why.
    Skip(&'static str),
}

/// What a crawl knows of a site's classes.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    classes: HashMap<Class, Learned>,
    /// Calls that gave two answers from one state.
    fickle: HashSet<(Class, String)>,
    /// States of each type whose events were all fired.
    samples: HashMap<Arc<str>, u32>,
    /// Where instructions led away to, with the first document that they were found in.
    away: HashMap<(Class, String), (String, PageNumber)>,
    /// What was made of additions, whichever class made them.
    additions: HashMap<u64, Addition>,
    /// The documents in which events first added something, by what that was.
    added_first: HashMap<u64, u64>,
    /// What pages added to themselves when a request of theirs was refused.
    apologies: HashSet<u64>,
    /// Steps that are taken whatever is claimed of their classes, by class and document.
    pub(super) audits: HashSet<(Class, u64)>,
    /// Documents in which one step of each class is, and the classes of which one was.
    pub(super) checked: HashMap<u64, HashSet<Class>>,
    /// What pages show, together with what they can do, as hashes.
    acts: HashSet<u64>,
    /// What the scripts of pages of each type are made of, as hashes.
    scripts: HashSet<(Arc<str>, u64)>,
    /// The same of all scripts of a page together, whatever its type.
    sets_of_scripts: HashSet<u64>,
    /// Classes that are no more, since they were last written down.
    gone: Vec<Class>,
    /// Classes that changed since they were last written down.
    unsaved: HashSet<Class>,
    /// Types from which wanted pages can be reached; made when asked for.
    useful: Option<HashSet<String>>,
}

/// What an agreement rests on, as a hash that is the same in every run.
pub(crate) fn evidence(of: impl std::hash::Hash) -> u64 {
    let mut hasher = Xxh3::new();
    of.hash(&mut hasher);
    hasher.digest()
}

impl Knowledge {
    /// What is known of a class.
    pub(crate) fn of(&self, class: &Class) -> Option<&Learned> {
        // A model names calls without what they do, and one that a person wrote may name no handler: it
        // speaks for all at that place.
        self.classes.get(class).or_else(|| {
            let by = |handler: &str| {
                self.classes.get(&Class { handler: handler.to_owned(), ..class.clone() })
            };
            by(call_of(&class.handler)).or_else(|| by(""))
        })
    }

    /// All classes.
    pub(crate) fn classes(&self) -> impl Iterator<Item = (&Class, &Learned)> {
        self.classes.iter()
    }

    /// Takes over what was known before.
    pub(crate) fn remember(&mut self, class: Class, learned: Learned) {
        self.useful = None;
        self.classes.insert(class, learned);
    }

    /// Classes that are no more since the last call: their page type turned out to be another.
    pub(crate) fn take_gone(&mut self) -> Vec<Class> {
        std::mem::take(&mut self.gone)
    }

    /// What changed since the last call.
    pub(crate) fn take_unsaved(&mut self) -> Vec<(Class, Learned)> {
        let changed: Vec<_> = self.unsaved.drain().collect();
        changed
            .into_iter()
            .filter_map(|class| {
                let learned = self.classes.get(&class)?.clone();
                Some((class, learned))
            })
            .collect()
    }

    /// Takes note that a member did nothing on a page, or only hid or reordered what was there.
    pub(crate) fn idled(
        &mut self,
        class: &Class,
        page: PageNumber,
        revealed: bool,
        document: &str,
    ) {
        for class in [class, &anywhere(class)] {
            self.change(class, |learned| {
                learned.claim(Claim::Idle).hold(evidence(document));
                learned.revealed = learned.revealed.saturating_add(revealed.into());
                if learned.idle_on.len() < IDLE_PAGES && !learned.idle_on.contains(&page.0) {
                    learned.idle_on.push(page.0);
                }
            });
        }
    }

    /// Whether the same steps never did anything on pages of other types, nor did the first of them here, if one
    /// was tried: where they did nothing in many documents, none need be.
    pub(super) fn is_idle_elsewhere(&self, class: &Class) -> bool {
        let (here, elsewhere) = (self.of(class), anywhere(class));
        let is_tried = here.is_some_and(|learned| learned.fired > 0);
        let did_nothing = here.is_none_or(|learned| learned.effective == 0);
        let is_sure = || self.evidence(&elsewhere, Claim::Idle).held >= IDLE_ANYWHERE;
        did_nothing && self.of(&elsewhere).is_some_and(Learned::is_idle) && (is_tried || is_sure())
    }

    /// Takes note of what came of an event.
    pub(crate) fn fired(&mut self, class: &Class, path: &str, effective: bool, new: bool) {
        if effective {
            self.change(&anywhere(class), |learned| {
                if learned.is_idle() {
                    learned.claim(Claim::Idle).withdraw();
                }
                learned.effective = learned.effective.saturating_add(1);
            });
        }
        self.change(class, |learned| {
            if effective && learned.is_idle() {
                learned.claim(Claim::Idle).withdraw();
            }
            learned.fired = learned.fired.saturating_add(1);
            learned.effective = learned.effective.saturating_add(effective.into());
            learned.new = learned.new.saturating_add(new.into());
            if effective && learned.paths.len() < PATHS && !learned.paths.iter().any(|p| p == path)
            {
                learned.paths.push(path.to_owned());
            }
        });
    }

    /// Takes note of what kept edges say of a class: an interruption may have cost what was learned of
    /// the last of them, and a class that did something must not seem idle.
    pub(crate) fn has_an_effect(&mut self, class: &Class) {
        for class in [class, &anywhere(class)] {
            if self.of(class).is_none_or(|learned| learned.effective == 0) {
                self.change(class, |learned| {
                    learned.effective = 1;
                    learned.fired = learned.fired.max(1);
                });
            }
        }
    }

    /// Takes note of a state in a sequence: whether it follows one of the same class, and shows all
    /// of it.
    pub(crate) fn continued(&mut self, class: &Class, chained: bool, grown: bool) {
        self.change(class, |learned| {
            learned.chained = learned.chained.saturating_add(chained.into());
            learned.grown = learned.grown.saturating_add(grown.into());
        });
    }

    /// Takes note of what a member added to a state of a document. True if its like added the same
    /// before.
    pub(crate) fn added(&mut self, class: &Class, says: &str, added: u64, document: &str) -> bool {
        let (says, mut is_known) = (label_of(class, says), false);
        self.change(class, |learned| {
            let was_one = learned.echoes.is_one(says);
            is_known = learned.echoes.hear(says, added, document);
            match is_known {
                true => learned.claim(Claim::Echo).hold(evidence(document)),
                false if was_one => learned.claim(Claim::Echo).withdraw(),
                false => {}
            }
        });
        is_known
    }

    /// Takes note of what an event added to a state of a document. True if one added the same to another
    /// document, whatever its class.
    pub(crate) fn is_added_elsewhere(&mut self, added: u64, document: &str) -> bool {
        let document = evidence(document);
        // What adds nothing that can be compared is no addition like another.
        if added == 0 || self.added_first.len() >= MOST_SIGNATURES {
            return false;
        }
        *self.added_first.entry(added).or_insert(document) != document
    }

    /// Takes note of what a page added to itself when we refused a request of it. True if some page
    /// did the same before.
    pub(crate) fn apologised(&mut self, added: u64) -> bool {
        self.apologies.contains(&added)
            || (self.apologies.len() < MOST_SIGNATURES && !self.apologies.insert(added))
    }

    /// Takes note of what a page shows and can do. True if no page was like it in both.
    pub(crate) fn acts_otherwise(&mut self, acts: u64) -> bool {
        self.acts.len() < MOST_SIGNATURES && self.acts.insert(acts)
    }

    /// Takes note of what the scripts of a page are made of. True if one is like none on the pages of its type,
    /// and no page of another type has just these.
    pub(crate) fn has_other_scripts(&mut self, page_type: &Arc<str>, scripts: &[u64]) -> bool {
        let has_room = self.scripts.len() < MOST_SIGNATURES;
        let all: BTreeSet<_> = scripts.iter().collect();
        let are_known = has_room && !self.sets_of_scripts.insert(evidence(all));
        let scripts = scripts.iter().filter(|_| has_room);
        let mut is_other = false;
        for script in scripts {
            is_other |= self.scripts.insert((page_type.clone(), *script));
        }
        is_other && !are_known
    }

    /// Takes note that something was found behind what a member added, and only there.
    pub(crate) fn opened(&mut self, class: &Class, added: u64) {
        let was_deferred = self.additions.get_mut(&added).is_some_and(Addition::opened);
        self.change(class, |learned| {
            if learned.echoes.refute() || was_deferred {
                learned.claim(Claim::Echo).withdraw();
            }
        });
    }

    /// Takes note of a state with this addition to the one before it. True if it is worth exploring.
    pub(crate) fn enters(&mut self, added: u64, aim: &Aim) -> bool {
        let is_full = self.additions.len() >= MOST_SIGNATURES;
        // What adds nothing that can be compared is no addition like another.
        let is_open = !aim.patterns || aim.takes_all || added == 0;
        if is_open || (is_full && !self.additions.contains_key(&added)) {
            return true;
        }
        self.additions.entry(added).or_default().is_worth_exploring()
    }

    /// Takes note of the type of a page that a member led to.
    pub(crate) fn led(&mut self, class: &Class, page_type: &str) {
        let is_first =
            self.of(class).is_none_or(|learned| !learned.leads_to.contains_key(page_type));
        self.change(class, |learned| {
            *learned.leads_to.entry(page_type.to_owned()).or_default() += 1;
        });
        if is_first {
            self.useful = None;
        }
    }

    /// Whether firing an event of this class once more may undo it. It is not known until tried.
    pub(crate) fn may_toggle(&self, class: &Class) -> bool {
        self.of(class).is_none_or(|learned| learned.toggles >= 0)
    }

    /// Takes note of whether firing an event once more undid it.
    pub(crate) fn toggled(&mut self, class: &Class, did: bool) {
        self.change(class, |learned| learned.toggles += if did { 1 } else { -1 });
    }

    /// Whether known edges may lead back after an event of this class. It is not known until tried.
    pub(crate) fn may_go_round(&self, class: &Class) -> bool {
        self.of(class).is_none_or(|learned| learned.rounds >= 0)
    }

    /// Takes note of whether known edges led back after an event.
    pub(crate) fn went_round(&mut self, class: &Class, did: bool) {
        self.change(class, |learned| learned.rounds += if did { 1 } else { -1 });
    }

    /// Whether nothing would be fired on a page of this type: all that its like offers is claimed to do nothing,
    /// to add the same everywhere, or to open its own link, and what was tried too rarely to claim that, the
    /// page does not have. `has` says whether it may have members of a class. Not known before some were explored.
    pub(crate) fn is_inert(&self, page_type: &str, has: impl Fn(&Class) -> bool) -> bool {
        if self.samples.get(page_type).is_none_or(|samples| *samples < INERT_SAMPLES) {
            return false;
        }
        let of_type = |(class, _): &(&Class, &Learned)| {
            *class.page_type == *page_type && class.event != "link"
        };
        let is_settled = |(class, learned): &(&Class, &Learned)| {
            learned.is_idle()
                || self.is_idle_elsewhere(class)
                || learned.echoes.are_all()
                || self.opens_its_link(class)
                || self.is_silent(class)
        };
        let (settled, open): (Vec<_>, Vec<_>) =
            self.classes.iter().filter(of_type).partition(is_settled);
        // Where others of their place are settled, the place does not tell them apart.
        let is_told_by_place = |place: &str| !settled.iter().any(|(class, _)| class.place == place);
        open.iter().all(|(class, learned)| {
            learned.effective == 0 && is_told_by_place(&class.place) && !has(class)
        })
    }

    /// Whether events on pages of this type led to states that nothing else did.
    pub(crate) fn brings_news(&self, page_type: &str) -> bool {
        let of_type = |class: &Class| *class.page_type == *page_type && class.event != "link";
        self.classes.iter().any(|(class, learned)| of_type(class) && learned.new > 0)
    }

    /// Takes note that a state of this type was explored to the end.
    pub(crate) fn sampled(&mut self, page_type: &Arc<str>) {
        *self.samples.entry(page_type.clone()).or_default() += 1;
    }

    /// Takes note that a member led from two different states, this far apart, to one target. `evidence`
    /// names the member, the states and the target.
    pub(crate) fn agreed(
        &mut self,
        class: &Class,
        reach: Reach,
        (signature, evidence_of): (&str, u64),
        document: &str,
    ) {
        self.change(class, |learned| {
            learned.verdicts.agree(reach, signature, evidence_of);
            learned.claim(Claim::Instruction).hold(evidence(document));
        });
    }

    /// Takes note that a member led to two targets. What was believed to be known is not.
    pub(crate) fn disagreed(&mut self, class: &Class, reach: Reach) {
        self.change(class, |learned| {
            let was_believed = learned.verdicts.holds_at_or_beyond(reach);
            learned.verdicts.contradict(reach);
            if was_believed {
                learned.claim(Claim::Instruction).withdraw();
            }
        });
    }

    /// Whether an answer known at this reach stands for firing a member.
    pub(crate) fn holds(&self, class: &Class, signature: &str, reach: Reach) -> bool {
        self.of(class).is_some_and(|learned| learned.verdicts.holds(reach))
            && !self.is_fickle(class, signature)
    }

    /// Takes note of the URL that an instruction led to in one document, and of what that says about
    /// others: a link made of script means the same on every page.
    pub(crate) fn led_away(&mut self, class: &Class, signature: &str, url: &str, to: PageNumber) {
        let key = (class.clone(), signature.to_owned());
        match self.away.get(&key) {
            Some((document, _)) if document == url => {}
            Some((_, known)) => match *known == to {
                true => {
                    let evidence = evidence((signature, url, to.0));
                    self.agreed(class, Reach::Site, (signature, evidence), url);
                }
                false => self.disagreed(class, Reach::Site),
            },
            None if self.away.len() < MOST_SIGNATURES => {
                self.away.insert(key, (url.to_owned(), to));
            }
            None => {}
        }
    }

    /// Where an instruction led away from whatever document it was found in.
    pub(crate) fn site_answer(&self, class: &Class, signature: &str) -> Option<PageNumber> {
        self.away.get(&(class.clone(), signature.to_owned())).map(|(_, to)| *to)
    }

    /// A call gave two answers from one state: it is never filtered by instruction again.
    pub(crate) fn mark_fickle(&mut self, class: &Class, signature: &str) {
        if self.fickle.len() < MOST_SIGNATURES {
            self.fickle.insert((class.clone(), signature.to_owned()));
        }
    }

    /// Whether a call once gave two answers.
    pub(crate) fn is_fickle(&self, class: &Class, signature: &str) -> bool {
        self.fickle.contains(&(class.clone(), signature.to_owned()))
    }

    /// Seed 000's pattern filter: whether an event of this class is worth firing in a document.
    pub(crate) fn judge(
        &mut self,
        class: &Class,
        says: &str,
        document: &str,
        aim: &Aim,
    ) -> Judgement {
        if !aim.patterns {
            return Judgement::Fire;
        }
        let verdict = self.worth(class, says, aim);
        let Judgement::Skip(why) = verdict else { return verdict };
        self.skip(class, document, aim, why)
    }

    fn worth(&mut self, class: &Class, says: &str, aim: &Aim) -> Judgement {
        let is_link = class.event == "link";
        if aim.trains && is_link {
            return match self.of(class) {
                Some(learned) if learned.fired >= LINK_TRIES => {
                    Judgement::Skip("enough steps of this kind were taken")
                }
                _ => Judgement::Fire,
            };
        }
        if aim.wanted.is_empty() {
            let learned = self.of(class);
            let is_idle = learned.is_some_and(Learned::is_idle) || self.is_idle_elsewhere(class);
            return match learned {
                _ if !is_link && is_idle => Judgement::Skip(Claim::Idle.reason()),
                Some(learned) if !is_link && learned.echoes.is_one(label_of(class, says)) => {
                    Judgement::Skip(Claim::Echo.reason())
                }
                _ => Judgement::Fire,
            };
        }
        self.find_useful(aim);
        let useful = self.useful.as_ref();
        let is_useful = |to: &String| useful.is_some_and(|useful| useful.contains(to));
        match self.of(class) {
            Some(learned) if learned.leads_to.keys().any(is_useful) => {
                match learned.is_redundant() && !is_link {
                    true => Judgement::Skip(REDUNDANT),
                    false => Judgement::Fire,
                }
            }
            // Not known well enough yet: the first of each class are tried.
            Some(learned) if aim.explores && is_link && learned.fired < LINK_TRIES => {
                Judgement::Fire
            }
            Some(learned) if aim.explores && !learned.is_idle() && learned.leads_to.is_empty() => {
                Judgement::Fire
            }
            None if aim.explores => Judgement::Fire,
            _ => Judgement::Skip("steps of this kind never led to a wanted page type"),
        }
    }

    /// How near a class brings to what is wanted: 2 for straight there, 1 for on the way, 0 for
    /// nobody knows.
    pub(crate) fn rank(&mut self, class: &Class, aim: &Aim) -> i64 {
        self.find_useful(aim);
        let Some(learned) = self.of(class) else { return 0 };
        if aim.wanted.is_empty() {
            // Yield first: new pages for each hundred events.
            return i64::from(learned.new) * 100 / i64::from(learned.fired.max(1));
        }
        if learned.leads_to.keys().any(|to| aim.wanted.contains(to)) {
            return 2;
        }
        let useful = self.useful.as_ref();
        let is_useful = |to: &String| useful.is_some_and(|useful| useful.contains(to));
        i64::from(learned.leads_to.keys().any(is_useful))
    }

    /// Finds the wanted types and those that lead to them, if that changed since the last time.
    fn find_useful(&mut self, aim: &Aim) {
        if self.useful.is_some() {
            return;
        }
        let mut useful = aim.wanted.clone();
        loop {
            let leads = |(class, learned): (&Class, &Learned)| {
                let on = &*class.page_type;
                (!useful.contains(on) && learned.leads_to.keys().any(|to| useful.contains(to)))
                    .then(|| on.to_owned())
            };
            let more: Vec<_> = self.classes.iter().filter_map(leads).collect();
            if more.is_empty() {
                break;
            }
            useful.extend(more);
        }
        self.useful = Some(useful);
    }

    /// What is wanted has changed.
    pub(crate) fn aim_changed(&mut self) {
        self.useful = None;
    }

    /// Two page types turned out to be one: their classes are, too.
    pub(crate) fn rename_type(&mut self, from: &str, to: &str) {
        let to: Arc<str> = to.into();
        let gone: Vec<_> =
            self.classes.keys().filter(|class| *class.page_type == *from).cloned().collect();
        for class in gone {
            if let Some(learned) = self.classes.remove(&class) {
                let kept = self.classes.entry(class.on(&to)).or_default();
                kept.absorb(learned);
                self.unsaved.insert(class.on(&to));
                self.gone.push(class);
            }
        }
        for learned in self.classes.values_mut() {
            if let Some(led) = learned.leads_to.remove(from) {
                *learned.leads_to.entry(to.to_string()).or_default() += led;
            }
        }
        if let Some(samples) = self.samples.remove(from) {
            *self.samples.entry(to).or_default() += samples;
        }
        self.useful = None;
    }

    pub(super) fn change(&mut self, class: &Class, change: impl FnOnce(&mut Learned)) {
        if !self.classes.contains_key(class) {
            if self.classes.len() >= MOST_CLASSES {
                return;
            }
            let known = self.of(class).cloned().unwrap_or_default();
            self.classes.insert(class.clone(), known);
        }
        if let Some(learned) = self.classes.get_mut(class) {
            change(learned);
            self.unsaved.insert(class.clone());
        }
    }
}

/// What members of a class say that are told apart. Numbers of a pager are not.
fn label_of<'s>(class: &Class, says: &'s str) -> &'s str {
    if class.label == Label::Number { "" } else { says }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(page_type: &str, place: &str) -> Class {
        let mut class = Class::of_link(&page_type.into(), place, "x");
        class.event = "click".into();
        class
    }

    fn everything() -> Aim {
        Aim { patterns: true, instructions: true, explores: true, ..Aim::default() }
    }

    #[test]
    fn a_class_that_never_does_anything_is_tried_ever_more_rarely() {
        let (mut knowledge, class, aim) = (Knowledge::default(), class("a", "/p"), everything());
        for page in 1..=3 {
            for _ in 0..10 {
                assert_eq!(knowledge.judge(&class, "", "/", &aim), Judgement::Fire, "page {page}");
                knowledge.fired(&class, "/p[1]", false, false);
            }
            knowledge.idled(&class, PageNumber(page), false, &page.to_string());
        }
        let mut fired = 0;
        for _ in 0..100 {
            if knowledge.judge(&class, "", "/", &aim) == Judgement::Audit {
                knowledge.fired(&class, "/p[1]", false, false);
                fired += 1;
            }
        }
        assert_eq!(fired, 5, "the 4th, 8th, 16th, 32nd and 64th");
    }

    #[test]
    fn what_never_does_anything_is_tried_once_on_pages_of_another_type_until_it_does() {
        let (mut knowledge, aim) = (Knowledge::default(), everything());
        for page in 1..=3 {
            knowledge.fired(&class("a", "/p"), "/p[1]", false, false);
            knowledge.idled(&class("a", "/p"), PageNumber(page), false, &page.to_string());
        }
        let (b, c) = (class("b", "/p"), class("c", "/p"));
        assert_eq!(knowledge.judge(&b, "", "/", &aim), Judgement::Fire, "the first one there");
        knowledge.fired(&b, "/p[1]", false, false);
        knowledge.idled(&b, PageNumber(4), false, "4");
        assert!(matches!(knowledge.judge(&b, "", "/", &aim), Judgement::Skip(_)));
        knowledge.fired(&c, "/p[1]", true, true);
        assert_eq!(knowledge.judge(&b, "", "/", &aim), Judgement::Fire);
        assert!(knowledge.evidence(&b, Claim::Idle).is_withdrawn, "what it deferred is taken");
        assert!(!knowledge.evidence(&class("a", "/p"), Claim::Idle).is_withdrawn);
    }

    #[test]
    fn what_did_nothing_in_many_documents_is_not_tried_first_on_each_further_type() {
        let (mut knowledge, aim) = (Knowledge::default(), everything());
        let is_fired = |knowledge: &mut Knowledge, of: &str| {
            knowledge.judge(&class(of, "/p"), "", "/", &aim) == Judgement::Fire
        };
        for (page, of) in ["a", "b", "c", "d", "e", "f", "g", "h"].into_iter().enumerate() {
            assert!(is_fired(&mut knowledge, of), "the first one on {of}");
            knowledge.fired(&class(of, "/p"), "/p[1]", false, false);
            knowledge.idled(&class(of, "/p"), PageNumber(page as i64), false, of);
        }
        assert!(!is_fired(&mut knowledge, "i"));
        knowledge.fired(&class("k", "/p"), "/p[1]", true, true);
        assert!(is_fired(&mut knowledge, "l"), "one that did something lets go all of them");
    }

    #[test]
    fn only_steps_towards_what_is_wanted_are_taken() {
        let mut knowledge = Knowledge::default();
        let (to_threads, to_lists, to_users) =
            (class("list", "/a"), class("home", "/a"), class("list", "/b"));
        for (class, to) in [(&to_threads, "thread"), (&to_lists, "list"), (&to_users, "user")] {
            for _ in 0..3 {
                knowledge.fired(class, "/a[1]", true, true);
            }
            knowledge.led(class, to);
        }
        let mut aim = everything();
        aim.wanted.insert("thread".into());
        assert_eq!(knowledge.judge(&to_threads, "", "/", &aim), Judgement::Fire);
        assert_eq!(knowledge.judge(&to_lists, "", "/", &aim), Judgement::Fire, "on the way");
        assert!(matches!(knowledge.judge(&to_users, "", "/", &aim), Judgement::Skip(_)));
        assert_eq!(knowledge.rank(&to_threads, &aim), 2);
        assert_eq!(knowledge.rank(&to_lists, &aim), 1);
    }

    #[test]
    fn what_is_found_without_it_makes_a_class_redundant() {
        let (mut knowledge, next) = (Knowledge::default(), class("comments", "/next"));
        let mut aim = everything();
        aim.wanted.insert("comments".into());
        knowledge.led(&next, "comments");
        for _ in 0..3 {
            assert_eq!(knowledge.judge(&next, "", "/", &aim), Judgement::Fire);
            knowledge.fired(&next, "/next[1]", true, false);
        }
        assert!(matches!(knowledge.judge(&next, "", "/", &aim), Judgement::Skip(_)));
    }

    #[test]
    fn with_the_filter_off_everything_is_fired() {
        let (mut knowledge, class) = (Knowledge::default(), class("a", "/p"));
        for _ in 0..9 {
            knowledge.fired(&class, "/p[1]", false, false);
        }
        let aim = Aim { patterns: false, ..everything() };
        assert_eq!(knowledge.judge(&class, "", "/", &aim), Judgement::Fire);
    }
}
