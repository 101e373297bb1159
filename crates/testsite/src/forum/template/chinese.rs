//! `chinese`: a table body for each thread and a table for each post, with a large pane of who wrote it
//! beside. Addresses are numbered files; dates are 昨天, 前天 and so many days ago, then plain.

use std::fmt::Write;

use jiff::Timestamp;

use crate::forum::at::{At, Entry, Row};
use crate::forum::model::{Board, Thread};
use crate::forum::people::{Standing, User};
use crate::forum::skin::Skin;
use crate::forum::tongue::Tongue;
use crate::forum::when::{days_ago, minutes_ago, told};
use crate::html::Text;
use crate::tables::Stamp;

pub(super) struct Chinese;

const STYLE: &str = "body{font:14px SimSun,sans-serif;background:#f2f8fd}table{width:960px;border-collapse:collapse;margin:6px auto}td,th{border:1px solid #cde;padding:6px;vertical-align:top}.ce{width:170px;background:#e6f1fa}.yin{background:#fffbe8;padding:6px;border:1px solid #eda}.luo{border-top:1px dashed #aaa;color:#888}.gai{color:#999;font-size:12px}";

impl Chinese {
    fn page(&self, title: &str, main: &str) -> String {
        format!(
            "<!DOCTYPE html>\n<html lang=\"zh-CN\">\n<head><meta charset=\"utf-8\"><title>{title} - 渡口论坛</title><style>{STYLE}</style></head>\n<body>\n<div class=\"ding\"><a href=\"/\">渡口论坛</a> <form action=\"{search}\" method=\"get\"><input name=\"ci\"><button>搜索</button></form> <a href=\"{login}\">登录</a></div>\n{main}<div class=\"di\">渡口论坛 沪ICP备00000000号</div>\n</body>\n</html>\n",
            title = Text(title),
            search = self.search(),
            login = self.login(),
        )
    }

    fn pager(
        &self,
        at: &At<'_>,
        page: usize,
        last: usize,
        path: impl Fn(usize) -> String,
    ) -> String {
        let mut links = String::new();
        for (number, path) in at.pager(page, last, &path) {
            let _ = match path {
                Some(path) => write!(links, "<a href=\"{path}\">{number}</a>"),
                None => write!(links, "<strong>{number}</strong>"),
            };
        }
        if page < last {
            let _ = write!(links, "<a href=\"{}\">下一页</a>", path(page + 1));
        }
        if links.is_empty() { links } else { format!("<div class=\"ye\">{links}</div>\n") }
    }

    fn row(&self, at: &At<'_>, row: &Row<'_>, class: &str) -> String {
        let thread = row.thread;
        let mark = match (thread.sticky, thread.closed) {
            (true, _) => "<em class=\"zhi\">置顶</em> ",
            (_, true) => "<em class=\"suo\">锁定</em> ",
            _ => "",
        };
        format!(
            "<tbody class=\"{class}\" id=\"zt{id}\"><tr><th>{mark}<a href=\"{path}\" class=\"ti\">{title}</a></th><td>{starter}<br><em>{first}</em></td><td><a href=\"{path}\">{replies}</a><br><em>{views}</em></td><td>{closer}<br><em><a href=\"{path}\">{last}</a></em></td></tr></tbody>\n",
            id = thread.id,
            path = row.path,
            title = Text(&thread.title),
            starter = at.named(row.starter, ""),
            first = self.listed(row.first.time, at.now).text,
            replies = row.replies,
            views = thread.views,
            closer = at.named(row.closer, ""),
            last = self.listed(row.last.time, at.now).text,
        )
    }

    fn post(&self, at: &At<'_>, entry: &Entry<'_>) -> String {
        let (post, author) = (entry.post, entry.author);
        let pane = match author.standing {
            Standing::Member => format!(
                "<p>{}</p><dl><dt>帖子</dt><dd>{}</dd><dt>积分</dt><dd>{}</dd><dt>注册时间</dt><dd>{}</dd><dt>来自</dt><dd>{}</dd></dl>",
                author.rank,
                author.count,
                author.count * 3 + 17,
                plain(author.joined, false),
                Text(&author.place)
            ),
            Standing::Guest => "<p>游客</p>".to_owned(),
            Standing::Deleted => "<p>该用户已注销</p>".to_owned(),
        };
        let mut said = String::new();
        if let Some(time) = post.edited_at(at.now) {
            let _ = writeln!(
                said,
                "<i class=\"gai\">本帖最后由 {} 于 {} 编辑</i><br>",
                Text(&author.name),
                plain(time, true)
            );
        }
        said += &at.body(post.parts_at(at.now));
        let files: String = post
            .files
            .iter()
            .map(|(file, size)| format!("<li>{file} ({size} KB，下载次数：{})</li>", size % 37))
            .collect();
        let files =
            if files.is_empty() { files } else { format!("<ul class=\"fujian\">{files}</ul>\n") };
        let signature = author
            .signature
            .as_ref()
            .map_or_else(String::new, |text| format!("<div class=\"luo\">{}</div>\n", Text(text)));
        let floor = match entry.position {
            1 => "楼主".to_owned(),
            2 => "沙发".to_owned(),
            3 => "板凳".to_owned(),
            position => format!("{position}楼"),
        };
        format!(
            "<table class=\"lou\" id=\"lou{id}\"><tr><td class=\"ce\" rowspan=\"2\"><div>{name}</div><img src=\"/static/view.svg\" width=\"80\" alt=\"\">{pane}</td><td class=\"shang\"><em>发表于 {when}</em> <a href=\"{path}\">{floor}</a></td></tr>\n<tr><td><div class=\"wen\">{said}</div>\n{files}{signature}<form method=\"post\" action=\"/act/like\"><button name=\"lou\" value=\"{id}\">支持 {likes}</button></form><form method=\"post\" action=\"/act/report\"><button name=\"lou\" value=\"{id}\">举报</button></form></td></tr></table>\n",
            id = post.id,
            name = at.named(author, " class=\"ming\""),
            when = self.when(post.time, at.now).text,
            path = entry.path,
            likes = post.likes,
        )
    }
}

/// A date without zeros in front, with the time of the day if wanted.
fn plain(time: Timestamp, clock: bool) -> String {
    time.strftime(if clock { "%Y-%-m-%-d %H:%M" } else { "%Y-%-m-%-d" }).to_string()
}

impl Skin for Chinese {
    fn tongue(&self) -> Tongue {
        Tongue::Chinese
    }

    fn list_fields(&self) -> &'static [&'static str] {
        &["title", "url", "author", "time", "replies", "last_author", "last_time"]
    }

    fn post_fields(&self) -> &'static [&'static str] {
        // The first three floors have names instead of numbers.
        &["author", "time", "content", "url", "signature"]
    }

    fn board(&self, board: &Board, page: usize) -> String {
        format!("/bankuai-{}-{page}.html", board.id)
    }

    fn thread(&self, _board: &Board, thread: &Thread, page: usize) -> String {
        format!("/tiezi-{}-{page}-1.html", thread.id)
    }

    fn user(&self, user: &User) -> String {
        format!("/yonghu-{}.html", user.id)
    }

    fn anchor(&self, post: u32) -> String {
        format!("lou{post}")
    }

    fn login(&self) -> &'static str {
        "/denglu.html"
    }

    fn search(&self) -> &'static str {
        "/sousuo.html"
    }

    fn when(&self, time: Timestamp, now: Timestamp) -> Stamp {
        let clock = time.strftime("%H:%M");
        let minutes = minutes_ago(time, now);
        match days_ago(time, now) {
            0 if minutes < 60 => told(time, format!("{} 分钟前", minutes.max(1)), 60),
            0 => told(time, format!("{} 小时前", minutes / 60), 3_600),
            1 => told(time, format!("昨天 {clock}"), 60),
            2 => told(time, format!("前天 {clock}"), 60),
            days @ 3..=7 => told(time, format!("{days} 天前"), 86_400),
            _ => told(time, plain(time, true), 60),
        }
    }

    fn listed(&self, time: Timestamp, now: Timestamp) -> Stamp {
        match days_ago(time, now) {
            0..=7 => self.when(time, now),
            _ => told(time, plain(time, false), 86_400),
        }
    }

    fn paragraph(&self, text: &str) -> String {
        format!("{text}<br>\n")
    }

    fn code(&self, lines: &str) -> String {
        format!("<div class=\"daima\">{}</div>\n", lines.replace('\n', "<br>\n"))
    }

    fn quote(&self, header: Option<(&User, Stamp)>, inside: &str) -> String {
        let header = header.map_or_else(String::new, |(user, when)| {
            let when = Timestamp::from_second(when.unix).unwrap_or_default();
            format!(
                "<font color=\"#999999\">{} 发表于 {}</font><br>\n",
                Text(&user.name),
                plain(when, true)
            )
        });
        format!("<div class=\"yin\">{header}{inside}</div>\n")
    }

    fn index_page(&self, at: &At<'_>) -> String {
        let mut rows = String::new();
        for board in &at.model.boards {
            let (threads, posts, newest) = at.counts(board);
            let newest = newest.map_or_else(String::new, |row| {
                format!(
                    "<a href=\"{}\">{}</a><br>{} {}",
                    row.path,
                    Text(&row.thread.title),
                    self.listed(row.last.time, at.now).text,
                    at.named(row.closer, "")
                )
            });
            let _ = writeln!(
                rows,
                "<tr><th><a href=\"{}\">{}</a><br>{}</th><td>主题：{threads}，帖数：{posts}</td><td>{newest}</td></tr>",
                self.board(board, 1),
                Text(&board.name),
                Text(&board.about)
            );
        }
        self.page(
            "首页",
            &format!(
                "<p>{}</p>\n<table class=\"quan\">\n{rows}</table>\n",
                self.tongue().welcome()
            ),
        )
    }

    fn list_page(&self, at: &At<'_>, board: &Board, page: usize) -> String {
        let shown = at.list(board, page);
        let path = self.board(board, 1);
        let mut rows = format!(
            "<tbody><tr><th><a href=\"{path}\">主题</a></th><td>作者</td><td><a href=\"{path}\">回复</a>/查看</td><td><a href=\"{path}\">最后发表</a></td></tr></tbody>\n"
        );
        rows.extend(shown.sticky.iter().map(|row| self.row(at, row, "gao")));
        if !shown.sticky.is_empty() {
            rows += "<tbody class=\"fen\"><tr><th colspan=\"4\">版块主题</th></tr></tbody>\n";
        }
        rows.extend(shown.usual.iter().map(|row| self.row(at, row, "pu")));
        for row in &shown.stubs {
            let _ = writeln!(
                rows,
                "<tbody class=\"pu\"><tr><th>移动：<a href=\"{}\">{}</a></th><td>{}</td><td>-</td><td>-</td></tr></tbody>",
                row.path,
                Text(&row.thread.title),
                at.named(row.starter, "")
            );
        }
        let pager = self.pager(at, page, at.list_pages(board), |n| self.board(board, n));
        let inner: String = at
            .inside(board)
            .map(|inner| {
                format!(
                    "<p>子版块：<a href=\"{}\">{}</a></p>\n",
                    self.board(inner, 1),
                    Text(&inner.name)
                )
            })
            .collect();
        let main = format!(
            "<h1>{}</h1>\n{inner}<p>{}</p>\n{pager}<table class=\"biao\">\n{rows}</table>\n{pager}",
            Text(&board.name),
            Text(&at.range(board, page))
        );
        self.page(&board.name, &main)
    }

    fn thread_page(&self, at: &At<'_>, thread: &Thread, page: usize) -> String {
        let board = at.board(thread);
        let mut posts = String::new();
        for (entry, nth) in at.posts(thread, page).iter().zip(1..) {
            posts += &self.post(at, entry);
            if nth == 2 || nth == 6 {
                let (text, address) = at.advert();
                let _ = writeln!(
                    posts,
                    "<div class=\"guang\"><a href=\"{address}\">{}</a></div>",
                    Text(&text)
                );
            }
        }
        let poll = thread.poll.as_ref().filter(|_| page == 1).map_or_else(String::new, |choices| {
            let choices: String = choices
                .iter()
                .map(|(text, votes)| format!("<p>{}：{votes} 票</p>\n", Text(text)))
                .collect();
            format!("<form class=\"xuan\" method=\"post\" action=\"/act/vote\">\n{choices}<button>投票</button></form>\n")
        });
        let reply = match thread.closed {
            true => "<p>本主题已关闭。</p>\n".to_owned(),
            false => format!(
                "<form method=\"post\" action=\"/act/reply\"><textarea name=\"nr\"></textarea><button name=\"zt\" value=\"{}\">发表回复</button></form>\n",
                thread.id
            ),
        };
        let pager =
            self.pager(at, page, at.thread_pages(thread), |n| self.thread(board, thread, n));
        let main = format!(
            "<p><a href=\"/\">首页</a> › <a href=\"{}\">{}</a></p>\n<h1>{}</h1>\n<p>查看：{} 回复：{}</p>\n{poll}{pager}{posts}{pager}{reply}",
            self.board(board, 1),
            Text(&board.name),
            Text(&thread.title),
            thread.views,
            at.entries(thread).len().saturating_sub(1)
        );
        self.page(&thread.title, &main)
    }

    fn user_page(&self, at: &At<'_>, user: &User) -> String {
        let begun: String = at
            .begun(user)
            .iter()
            .map(|row| {
                format!("<li><a href=\"{}\">{}</a></li>\n", row.path, Text(&row.thread.title))
            })
            .collect();
        let main = format!(
            "<h1>{}</h1>\n<p>{}</p>\n<p>注册时间：{}，帖子：{}</p>\n<ul class=\"zuo\">\n{begun}</ul>\n",
            Text(&user.name),
            Text(&self.tongue().about(user)),
            plain(user.joined, false),
            user.count
        );
        self.page(&user.name, &main)
    }

    fn other_page(&self, _at: &At<'_>, title: &str, main: &str) -> String {
        self.page(title, &format!("<h1>{}</h1>\n{main}", Text(title)))
    }
}
