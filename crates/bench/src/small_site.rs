//! The bundled sites at sizes that take seconds, with other content for each seed.

use testsite::{Build, Options, Running, SiteKind, Template};

/// A bundled site at a size.
#[derive(Clone, Copy, Debug)]
pub struct SmallSite {
    /// What the table of priors calls it.
    pub name: &'static str,
    kind: SiteKind,
    size: u32,
    build: Build,
    template: Template,
}

impl SmallSite {
    const fn new(name: &'static str, kind: SiteKind, size: u32, build: Build) -> Self {
        Self { name, kind, size, build, template: Template::Table }
    }

    pub const ALL: [Self; 6] = [
        Self::new("news", SiteKind::News, 0, Build::React),
        Self::new("blog", SiteKind::Blog, 20, Build::Inline),
        Self::new("bbs", SiteKind::Bbs, 40, Build::Inline),
        Self {
            template: Template::Cards,
            ..Self::new("forum", SiteKind::Forum, 24, Build::Inline)
        },
        Self::new("portal", SiteKind::Portal, 0, Build::Inline),
        Self::new("maze", SiteKind::Maze, 0, Build::Inline),
    ];

    /// Serves it, with the content of a seed.
    pub async fn serve(&self, seed: u64) -> anyhow::Result<Running> {
        let Self { size, build, template, .. } = *self;
        let options = Options { size, build, template, seed, ..Options::default() };
        Ok(testsite::serve(self.kind, options).await?)
    }
}
