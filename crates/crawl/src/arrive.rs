//! Getting to a state: load its document, fire its path, and verify what is shown. What differs with
//! no event between two looks is volatile, and is learned here.

use browser::Action;
use page::state::{Content, learn_mask, mask_from_rules, mask_to_rules};
use page::tree::{Dom, Mask, restore};
use store::{PageNumber, StateId, Task};
use url::Url;

use crate::capture::{Seen, state_id};
use crate::crawler::{Context, Trouble, Worker};
use crate::error::CrawlError;
use crate::explore::{Stand, action};

impl Worker {
    /// Goes to a state for the first time since it was claimed.
    pub(crate) async fn arrive(&mut self, task: &Task, mask: Mask) -> Result<Stand, Trouble> {
        let seen = self.walk_the_path(task, &mask).await?;
        let expected = self.context.catalog.find(&task.page.to_string()).await?;
        let expected = expected.and_then(|row| row.content_hash);
        if expected.is_none_or(|hash| hash == state_id(&seen.content).to_string()) {
            return Ok(Stand::new(seen, mask));
        }
        let known = self.context.kept_tree(task.page).await?;
        self.reconcile(task, known.as_ref(), seen).await
    }

    /// Goes back to the state that an exploration stands at.
    pub(crate) async fn return_to(
        &mut self,
        task: &Task,
        stand: Stand,
    ) -> Result<Stand, (Stand, Trouble)> {
        let seen = match self.walk_the_path(task, &stand.mask).await {
            Ok(seen) => seen,
            Err(trouble) => return Err((stand, trouble)),
        };
        if seen.content.id() == stand.origin.content.id() {
            return Ok(Stand::new(seen, stand.mask));
        }
        match self.reconcile(task, Some(&stand.origin.dom), seen).await {
            Ok(stand) => Ok(stand),
            Err(trouble) => Err((stand, trouble)),
        }
    }

    async fn walk_the_path(&mut self, task: &Task, mask: &Mask) -> Result<Seen, Trouble> {
        let context = self.context.clone();
        let url = Url::parse(&task.url).map_err(|_| Trouble::Strayed("it is no URL".into()))?;
        if let Err(disallowed) = context.manners.ask(&url).await {
            return Err(Trouble::Strayed(disallowed.to_string()));
        }
        let actions: Vec<_> = task.path.iter().map(action).collect();
        let tab = self.tab_to_navigate().await?;
        tab.navigate(&url).await?;
        let fired = tab.replay(&actions).await?;
        let exchanges = tab.take_exchanges().await?;
        let walk = tab.walk().await?;
        let mut counts = vec![("restores", 1)];
        context.record(&mut counts, &exchanges);
        context.catalog.count(&task.site, counts).await?;
        if let Some(step) = fired.iter().position(|fired| fired.found.is_none()) {
            let missing = task.path.get(step).map_or("", |step| step.xpath.as_str());
            return Err(Trouble::Strayed(format!("the way to it is broken at {missing}")));
        }
        Ok(context.look(walk.dom, &url, mask).await?)
    }

    /// Two looks at one state that differ: learns what is volatile, if that explains it.
    async fn reconcile(
        &mut self,
        task: &Task,
        known: Option<&Dom>,
        seen: Seen,
    ) -> Result<Stand, Trouble> {
        let strayed = || Trouble::Strayed("its way leads to another state now".into());
        let mask = self.context.learn(task, known.ok_or_else(strayed)?, &seen.dom).await?;
        let Some(mask) = mask else {
            return Err(strayed());
        };
        let mut stand = Stand::new(seen, Mask::default());
        stand.see_under(mask);
        Ok(stand)
    }

    /// Lets the page's time pass without an event. What changes by itself is volatile.
    pub(crate) async fn learn_idle(
        &mut self,
        task: &Task,
        stand: &mut Stand,
    ) -> Result<(), Trouble> {
        let context = self.context.clone();
        let tab = self.tab().await?;
        let fired = tab.fire(&Action::new("/html", "bathys-idle")).await?;
        if !fired.changed {
            return Ok(());
        }
        let walk = tab.walk().await?;
        let later = Content::of(&walk.dom, &stand.mask);
        if later.id() == stand.origin.content.id() {
            return Ok(());
        }
        if let Some(mask) = context.learn(task, &stand.origin.dom, &walk.dom).await? {
            stand.see_under(mask);
        }
        Ok(())
    }
}

impl Context {
    /// The document's mask with what two looks at one state add to it, if the two are equal under
    /// it. The states of the document get their identities anew.
    async fn learn(
        &self,
        task: &Task,
        first: &Dom,
        second: &Dom,
    ) -> Result<Option<Mask>, CrawlError> {
        let learned = mask_to_rules(&learn_mask(first, second));
        let mut rules = self.catalog.mask(&task.site, &task.url).await?;
        rules.extend(learned);
        rules.sort();
        rules.dedup();
        let mask = mask_from_rules(rules.iter().map(String::as_str));
        if Content::of(first, &mask).id() != Content::of(second, &mask).id() {
            return Ok(None);
        }
        let mut identities = Vec::new();
        for page in self.catalog.pages_of_document(&task.site, &task.url).await? {
            identities.extend(self.identity_of(page, &mask).await?.map(|state| (page, state)));
        }
        tracing::info!("volatile in {}: {}", task.url, rules.join(", "));
        self.catalog.remask(&task.site, &task.url, rules, identities).await?;
        Ok(Some(mask))
    }

    async fn identity_of(
        &self,
        page: PageNumber,
        mask: &Mask,
    ) -> Result<Option<StateId>, CrawlError> {
        let dom = self.kept_tree(page).await?;
        Ok(dom.map(|dom| state_id(&Content::of(&dom, mask))))
    }

    /// The tree of a page's latest version.
    async fn kept_tree(&self, page: PageNumber) -> Result<Option<Dom>, CrawlError> {
        let version = self.catalog.version(page, None).await?;
        let snapshot = version.and_then(|version| version.snapshot);
        Ok(snapshot.and_then(|bytes| restore(&String::from_utf8_lossy(&bytes)).ok()))
    }
}
