//! Class names and ids. Markup and style sheet are written with `§name`; what a visitor sees
//! differs with seed and build, as it does between sites, so that no crawler can know it.

use crate::{Build, Random};

const PREFIXES: [&str; 8] = ["bl", "sn", "cms", "wb", "tpl", "jour", "q", "main"];

/// How this site names things.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names {
    seed: u64,
    prefix: &'static str,
    style: Style,
}

#[derive(Debug, Clone, Copy)]
enum Style {
    /// `bl-pager`
    Prefixed,
    /// `bl__pager`
    Blocked,
    /// `blPager`
    Humped,
    /// `pager_x1f9a`, as CSS modules have it.
    Hashed,
    /// `css-1f9a3c`, as styles in scripts have it.
    Opaque,
}

impl Names {
    pub(crate) fn new(site: &str, seed: u64, build: Build) -> Self {
        let mut random = Random::of(seed, &format!("{site} names {build}"));
        let style = match build {
            Build::React | Build::Vue => [Style::Hashed, Style::Opaque][random.below(2)],
            _ => [Style::Prefixed, Style::Blocked, Style::Humped][random.below(3)],
        };
        Names { seed, prefix: random.pick(&PREFIXES), style }
    }

    /// The name that visitors see.
    pub(crate) fn name(&self, name: &str) -> String {
        let prefix = self.prefix;
        let hash = |digits| Random::of(self.seed, &format!("{prefix} {name}")).hex(digits);
        match self.style {
            Style::Prefixed => format!("{prefix}-{name}"),
            Style::Blocked => format!("{prefix}__{name}"),
            Style::Humped => {
                let mut letters = name.chars();
                let first = letters.next().map(|first| first.to_ascii_uppercase());
                format!("{prefix}{}{}", first.unwrap_or_default(), letters.as_str())
            }
            Style::Hashed => format!("{name}_x{}", hash(5)),
            Style::Opaque => format!("css-{}", hash(6)),
        }
    }

    /// The name of a custom element.
    pub(crate) fn element(&self, name: &str) -> String {
        format!("{}-{name}", self.prefix)
    }

    /// The text with every `§name` replaced.
    pub(crate) fn apply(&self, text: &str) -> String {
        let mut parts = text.split('§');
        let mut applied = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(|letter: char| !letter.is_ascii_lowercase()).unwrap_or(part.len());
            let (name, rest) = part.split_at(end);
            applied += &self.name(name);
            applied += rest;
        }
        applied
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_with_seed_and_build_and_are_the_same_in_markup_and_style() {
        let mut seen = std::collections::BTreeSet::new();
        for build in Build::ALL {
            for seed in 1..9 {
                let names = Names::new("blog", seed, *build);
                let shown = names.apply("<p class=\"§pager on\">§</p>");
                assert!(shown.contains(&format!("\"{} on\"", names.name("pager"))));
                assert_eq!(names.apply(".§pager{}"), format!(".{}{{}}", names.name("pager")));
                seen.insert(names.name("pager"));
            }
        }
        assert!(seen.len() > 20, "{seen:?}");
    }
}
