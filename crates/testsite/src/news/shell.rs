//! What is around every page: head, header, menus, sidebar, adverts, footer.

use std::fmt::Write;

use super::News;
use super::model::Article;
use crate::html::Text;
use crate::{Build, Random, Visit, vendor};

/// One page before it is put into the shell.
pub(super) struct Body {
    pub title: String,
    /// Names and paths from the front page to here; the last has none.
    pub crumbs: Vec<(String, Option<String>)>,
    pub main: String,
    /// Scripts after the body, as paths.
    pub scripts: Vec<&'static str>,
}

impl News {
    /// A handler attribute in the build that uses them; the others bind by class.
    pub(super) fn on(&self, event: &str, call: &str) -> String {
        match self.build {
            Build::Inline => format!(" on{event}=\"{}\"", Text(call)),
            _ => String::new(),
        }
    }

    pub(super) fn shell(&self, visit: &Visit, body: &Body) -> String {
        let w = self.model.words;
        let mut random = visit.random();
        let token = random.hex(16);
        let crumbs = crumbs(&body.crumbs);
        let header = self.header(visit, &mut random);
        let sidebar = self.sidebar(&mut random);
        let footer = self.footer(&mut random);
        let scripts =
            self.scripts().iter().chain(&body.scripts).fold(String::new(), |mut all, path| {
                let _ = writeln!(all, "{}", vendor::script(path));
                all
            });
        format!(
            "<!DOCTYPE html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
<meta name=\"viewport\" content=\"width=1000\">\n<meta name=\"csrf-token\" content=\"{token}\">\n\
<title>{title} - {site}</title>\n<link rel=\"stylesheet\" href=\"/static/css/courier.css\">\n\
<link rel=\"icon\" href=\"data:,\">\n</head>\n<body>\n{header}\
<div class=\"wrap\">\n<div class=\"crumbs\">{crumbs}</div>\n<div class=\"cols\">\n\
<div class=\"col-main\" id=\"content\">\n{main}</div>\n{sidebar}</div>\n</div>\n{footer}{scripts}</body>\n</html>\n",
            lang = w.lang,
            title = Text(&body.title),
            site = w.title,
            main = body.main,
        )
    }

    /// The scripts that every page has.
    fn scripts(&self) -> &'static [&'static str] {
        use crate::vendor::JQUERY;
        match self.build {
            Build::Inline => &["/static/js/inline-site.js"],
            Build::Jquery => &[JQUERY, "/static/js/jquery-site.js"],
            Build::Closures | Build::React | Build::Vue | Build::Lit => {
                &["/static/js/closures-site.js"]
            }
        }
    }

    fn header(&self, visit: &Visit, random: &mut Random) -> String {
        let w = self.model.words;
        let sections = w.sections.iter().fold(String::new(), |mut all, (path, name)| {
            let _ = write!(all, "<li><a href=\"/{path}/\">{name}</a></li>");
            all
        });
        let extra = w.more_items.iter().fold(String::new(), |mut all, item| {
            let _ = write!(all, "<li><a href=\"/help.html\">{item}</a></li>");
            all
        });
        let hover =
            self.on("mouseover", "openMenu(this)") + &self.on("mouseout", "closeMenu(this)");
        let open = self.on("click", "showLogin();return false");
        let close = self.on("click", "hideLogin()");
        format!(
            "<div class=\"top\"><div class=\"wrap\"><span class=\"date\">{date}</span>\
<span class=\"online\">{online} {online_word}</span><span class=\"acct\">\
<a href=\"#\" class=\"js-login\"{open}>{login}</a> <i>|</i> <a href=\"#\" class=\"js-login\"{open}>{register}</a></span></div></div>\n\
<div class=\"head wrap\"><a class=\"logo\" href=\"/\">{title}</a><p class=\"slogan\">{slogan}</p>\
<form class=\"find\" action=\"/search\" method=\"get\"><input type=\"text\" name=\"q\" size=\"18\"><input type=\"submit\" value=\"{search}\"></form></div>\n\
<div class=\"nav\"><ul class=\"wrap\"><li><a href=\"/\">{home}</a></li>{sections}\
<li class=\"nav-more\"{hover}><span>{more} &#9662;</span><ul class=\"drop\">{extra}</ul></li></ul></div>\n\
<div class=\"mask\" id=\"login-box\"><div class=\"dlg\"><h3>{login}<span class=\"x js-close\" title=\"{close_word}\"{close}>&times;</span></h3>\
<form action=\"/account/login\" method=\"post\"><p><label>{user} <input name=\"user\"></label></p>\
<p><label>{password} <input type=\"password\" name=\"password\"></label></p><p><button type=\"submit\">{login}</button></p></form></div></div>\n",
            date = visit.now().strftime("%Y-%m-%d %H:%M UTC"),
            online = random.between(900, 9_000),
            online_word = w.online,
            login = w.login,
            register = w.register,
            title = w.title,
            slogan = w.slogan,
            search = w.search,
            home = w.home,
            more = w.more,
            user = w.user,
            password = w.password,
            close_word = w.close,
        )
    }

    fn sidebar(&self, random: &mut Random) -> String {
        let w = self.model.words;
        let mut ranks = String::new();
        let mut tabs = String::new();
        for (tab, name) in w.ranks.iter().enumerate() {
            let current = if tab == 0 { " on" } else { "" };
            let switch = self.on("mouseover", &format!("rankTab({tab})"));
            let _ = write!(tabs, "<li class=\"tab{current}\"{switch}>{name}</li>");
            let ranking = self.some_articles(&format!("rank {tab}"), 7);
            let items = ranking.iter().fold(String::new(), |mut all, article| {
                let _ = write!(all, "<li>{}</li>", self.link_to(article));
                all
            });
            let _ = write!(ranks, "<ol class=\"rank{current}\">{items}</ol>");
        }
        let options = w.poll_options.iter().enumerate().fold(String::new(), |mut all, (i, option)| {
            let _ = write!(
                all,
                "<li><label><input type=\"radio\" name=\"choice\" value=\"{i}\"> {option}</label></li>"
            );
            all
        });
        let vote = self.on("click", "vote(this.form);return false");
        format!(
            "<div class=\"col-side\">\n{first}<div class=\"box\"><h3>{most_read}</h3><ul class=\"tabs\">{tabs}</ul>{ranks}</div>\n\
<div class=\"box\"><h3>{poll}</h3><p>{question}</p><form class=\"poll\" action=\"/poll\" method=\"post\"><ul>{options}</ul>\
<button type=\"submit\" class=\"js-vote\"{vote}>{vote_word}</button></form></div>\n{second}\
<div class=\"box mail\"><p>{newsletter}</p><form action=\"/newsletter\" method=\"post\"><input type=\"email\" name=\"mail\" size=\"16\">\
<button type=\"submit\">{subscribe}</button></form></div>\n</div>\n",
            first = self.advert(random),
            second = self.advert(random),
            most_read = w.most_read,
            poll = w.poll,
            question = w.poll_question,
            vote_word = w.vote,
            newsletter = w.newsletter,
            subscribe = w.subscribe,
        )
    }

    fn footer(&self, random: &mut Random) -> String {
        let w = self.model.words;
        let links = w.statics.iter().fold(String::new(), |mut all, (path, name, _)| {
            let _ = write!(all, "<a href=\"{path}\">{name}</a> ");
            all
        });
        format!(
            "<div class=\"foot\"><div class=\"wrap\">{banner}<p class=\"links\">{links}</p><p class=\"copy\">{copyright}</p>\
<p class=\"srv\">srv{server} {millis} ms</p></div></div>\n<div class=\"toast\" id=\"toast\"></div>\n",
            banner = self.advert(random),
            copyright = w.copyright,
            server = random.between(1, 9),
            millis = random.between(12, 180),
        )
    }

    /// A rotating advert in a slot with a generated id.
    fn advert(&self, random: &mut Random) -> String {
        let slot = random.hex(8);
        let text = self.adverts.get(random.below(self.adverts.len())).map_or("", String::as_str);
        let hue = random.below(360);
        format!(
            "<div class=\"ad\" id=\"ad_{slot}\"><small>{word}</small><a href=\"/go?c={slot}\" rel=\"nofollow sponsored\" \
style=\"background:hsl({hue},45%,88%)\">{text}</a></div>\n",
            word = self.model.words.advert,
            text = Text(text),
        )
    }

    /// Text size, print and share, above articles and comments.
    pub(super) fn tools(&self) -> String {
        let w = self.model.words;
        let sizes = [("s", "A-"), ("m", "A"), ("l", "A+")].iter().fold(
            String::new(),
            |mut all, (size, sign)| {
                let call = self.on("click", &format!("fontSize('{size}')"));
                let _ = write!(all, "<a href=\"javascript:;\" class=\"js-font\" data-size=\"{size}\"{call}>{sign}</a> ");
                all
            },
        );
        let places = ["Chirp", "Facelook", "Mailbird", "Pinnwand"].iter().fold(
            String::new(),
            |mut all, name| {
                let host = name.to_lowercase();
                let _ = write!(
                    all,
                    "<li><a href=\"https://{host}.example/share\" rel=\"nofollow\">{name}</a></li>"
                );
                all
            },
        );
        let print = self.on("click", "window.print()");
        let share = self.on("click", "toggleShare(this)");
        format!(
            "<div class=\"tools\"><span>{font}: {sizes}</span><span class=\"js-print\"{print}>{print_word}</span>\
<span class=\"share\"><span class=\"js-share\"{share}>{share_word} &#9662;</span><ul class=\"drop\">{places}</ul></span></div>\n",
            font = w.font,
            print_word = w.print,
            share_word = w.share,
        )
    }

    pub(super) fn link_to(&self, article: &Article) -> String {
        format!("<a href=\"{}\">{}</a>", article.path(self.model.words), Text(&article.title))
    }

    /// Up to `count` articles, each once; `place` names where they stand.
    pub(super) fn some_articles(&self, place: &str, count: usize) -> Vec<&Article> {
        let articles = &self.model.articles;
        let mut random = Random::of(self.seed, place);
        let stride = random.between(1, (articles.len() / count.max(1)).max(1));
        let start = random.below(articles.len());
        let all = articles.iter().cycle().skip(start).step_by(stride);
        all.take(count.min(articles.len() / stride)).collect()
    }
}

fn crumbs(crumbs: &[(String, Option<String>)]) -> String {
    let parts: Vec<String> = crumbs
        .iter()
        .map(|(name, path)| match path {
            Some(path) => format!("<a href=\"{path}\">{}</a>", Text(name)),
            None => format!("<span>{}</span>", Text(name)),
        })
        .collect();
    parts.join(" &gt; ")
}
