//! The words of the interface, in English and in Chinese. A word that is missing in one of them does not compile.

/// A language of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    English,
    Chinese,
}

impl Language {
    /// As HTML names it.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }

    /// By that name.
    pub fn named(code: &str) -> Option<Self> {
        [Self::English, Self::Chinese].into_iter().find(|language| language.code() == code)
    }

    /// The first of those that a browser asks for which there is.
    pub fn wanted(header: &str) -> Option<Self> {
        let mut wanted: Vec<(f32, &str)> = header
            .split(',')
            .take(20)
            .filter_map(|part| {
                let (name, weight) = part.split_once(";q=").unwrap_or((part, "1"));
                Some((weight.trim().parse().ok()?, name.trim()))
            })
            .collect();
        wanted.sort_by(|a, b| b.0.total_cmp(&a.0));
        let named = |(_, name): &(f32, &str)| Self::named(&name.get(..2)?.to_ascii_lowercase());
        wanted.iter().find_map(named)
    }

    /// Its words.
    pub fn words(self) -> &'static Words {
        match self {
            Self::English => &ENGLISH,
            Self::Chinese => &CHINESE,
        }
    }

    /// A word that the store has for something, as a reader of this language is told it.
    pub fn term(self, word: &'static str) -> &'static str {
        match self {
            Self::English => word,
            Self::Chinese => {
                TERMS.iter().find(|(own, _)| *own == word).map_or(word, |(_, other)| other)
            }
        }
    }
}

macro_rules! words {
    ($($name:ident: $english:literal, $chinese:literal;)*) => {
        /// The words of one language.
        pub struct Words {
            $(pub $name: &'static str,)*
        }
        const ENGLISH: Words = Words { $($name: $english,)* };
        const CHINESE: Words = Words { $($name: $chinese,)* };
    };
}

words! {
    a_minute: "A minute", "每分钟";
    about: "About", "关于";
    about_version: "About this version", "关于此版本";
    added: "added", "新增";
    all_changes: "All changes", "全部变化";
    all_editions: "all editions", "所有版本";
    all_kinds: "All", "全部";
    answers: "Answers", "回答";
    any: "any", "不限";
    api_note: "Everything that the commands say with --json, over HTTP. A listing is a page of items with the address of the next; asked for as application/x-ndjson, or with format=jsonl, it is all of it, a line an item.", "命令以 --json 输出的一切均可通过 HTTP 获取。列表为一页条目及下一页地址；以 application/x-ndjson 请求或加 format=jsonl，则逐行返回全部。";
    as_found: "as found", "发现顺序";
    as_it_was: "As it was", "原貌";
    as_of: "As of", "截至";
    author: "Author", "作者";
    best_first: "best first", "最相关优先";
    blocks: "Blocks", "区块";
    bound: "{expected} states are expected to be missing, at most {most} (95 %). {deferred} events in {documents} documents were deferred; {audited} of their kind were tried all the same, {wrong} claims turned out to be wrong.", "预计缺少 {expected} 个状态，最多 {most} 个（95 %）。{documents} 个文档中推迟了 {deferred} 个事件；其中 {audited} 个仍被抽查，{wrong} 条论断被推翻。";
    by_author: "by author", "按作者";
    by_events_only: "Only by events", "仅由事件到达";
    by_title: "by title", "按标题";
    by_url: "by URL", "由网址到达";
    captured: "Captured", "采集时间";
    captured_pages: "captured", "已采集";
    changed: "changed", "已变化";
    changes: "Changes", "变化";
    changes_a_day: "changes a day", "每日变化";
    claim: "Claim", "论断";
    claims: "Claims", "论断";
    claims_note: "A claim says what a class of events or addresses does. What it predicts is deferred, not dropped: one contradiction releases it.", "论断说明一类事件或网址的作用。被预测的步骤只是推迟，不会丢弃：一次反例即可释放全部。";
    clock_ahead: "clock ahead", "时钟超前";
    compare: "Compare", "比较";
    condition: "Condition", "状态";
    content_hash: "content hash", "内容散列";
    cut_here: "The block goes on; the text view shows all of it.", "区块未完，全文见“文本”。";
    deferred: "Deferred", "推迟";
    depth: "depth", "深度";
    edited: "edited", "已修改";
    empty_store: "Nothing was captured yet. A crawl fills the store:", "尚未采集任何内容。抓取后即可浏览：";
    event: "Event", "事件";
    events_badge: "events", "事件";
    events_refused: "Events refused", "拒绝的事件";
    events_skipped: "Events deferred", "推迟的事件";
    example: "Example", "示例";
    exchanges: "Requests", "请求";
    expected_missed: "Expected missing", "预计缺失";
    failed: "failed", "失败";
    fields: "Fields", "字段";
    fired: "Fired", "触发";
    find_page: "Find a page", "查找页面";
    first_only: "Only the first {most} records were looked through and sorted; choose a site or a kind to see fewer.", "仅检索并排序前 {most} 条记录；请选择站点或类型以缩小范围。";
    first_seen: "first seen", "首次发现";
    first_seen_when: "First seen", "首次出现";
    found_texts: "{count} different texts, {ms} ms", "{count} 条不同文本，{ms} 毫秒";
    found_new: "New", "新发现";
    fit: "Fit", "适应窗口";
    for_programs: "For programs", "程序接口";
    from: "From", "从";
    go_to: "Go to a URL, key or number", "跳转到网址、键或编号";
    gone: "gone", "已消失";
    got_by: "Got by", "获取方式";
    graph: "Graph", "状态图";
    graph_needs_script: "The graph is drawn by a script; without one, it can be had as a picture:", "状态图由脚本绘制；也可下载图片：";
    graph_note: "Every page and state, around the entry. Choose one to see the way to it; type above to find one by its title or key.", "以入口为中心的全部页面与状态。点选可查看到达路径；在上方输入标题或键查找。";
    headers: "Response headers", "响应头";
    held: "held back", "搁置";
    held_in: "Held in", "成立于";
    idle: "idle", "空闲";
    in_documents: "Documents", "文档数";
    in_line: "in line", "行内";
    index_behind: "The index is being brought up to date; what is newest may be missing.", "索引正在更新，最新内容可能缺失。";
    items: "Items", "条目";
    just_found: "Just found", "刚刚发现";
    key: "key", "键";
    kind: "Kind", "类型";
    label: "Label", "标签";
    language: "Language", "语言";
    last_found: "last found first", "最近发现";
    last_visit: "Last visit", "最近访问";
    latest_changes: "Latest changes", "最新变化";
    leads_to: "Leads to", "通向";
    licences: "Licences", "许可证";
    links_to: "Links to", "链接到";
    links_too: "plain links, too", "包括普通链接";
    live: "Live", "实时";
    live_needs_script: "This page is kept up to date by a script; the same is under", "此页由脚本更新；内容亦见";
    live_note: "Pages and versions as they are committed, a second later at most.", "页面与版本提交后一秒内显示。";
    log_in: "Log in", "登录";
    log_out: "Log out", "退出";
    look: "Look", "显示";
    may_be_missing: "What may be missing", "可能缺失";
    merged: "merged", "已合并";
    merged_into: "This page turned out to equal page", "此页与该页相同：";
    method: "Method", "方法";
    more_lines: "more lines", "行未显示";
    more_pages: "More", "更多";
    most_replies: "most replies", "回复最多";
    moved: "moved", "移动";
    needs_browser: "Needs a browser:", "需要浏览器：";
    never_visited: "Not visited yet", "尚未访问";
    new_block: "new", "新增";
    new_page: "new page", "新页面";
    new_pages_too: "new pages, too", "包括新页面";
    newest_first: "newest first", "最新优先";
    next: "Next", "下一页";
    no_blocks: "This version shows nothing.", "此版本没有内容。";
    no_exchanges: "No request was kept with this page.", "此页没有保存请求。";
    no_records_here: "No records were found on this page.", "此页没有记录。";
    noise_folded: "versions are not shown: noise or first versions", "个版本未显示：噪声或首个版本";
    noise_left_out: "of noise left out", "处噪声未显示";
    noise_too: "noise, too", "包括噪声";
    none_yet: "None are known yet.", "暂无。";
    not_answered: "That was not answered", "未能回应";
    not_html: "This version is not an HTML page; its bytes are under Requests.", "此版本不是 HTML 页面；原始字节见“请求”。";
    nothing_changed: "Nothing changed.", "没有变化。";
    nothing_found: "Nothing was found.", "没有结果。";
    nothing_here: "Nothing here", "未找到";
    nothing_kept: "No version of this page was kept.", "此页没有保存任何版本。";
    nothing_refused: "No event was refused.", "没有拒绝任何事件。";
    number: "No", "编号";
    on_pages: "on {count} pages", "见于 {count} 个页面";
    older: "Older", "更早";
    older_versions: "Older versions", "更早的版本";
    oldest_first: "oldest first", "最早优先";
    only_noise: "only noise", "仅噪声";
    open_alone: "Open in a tab of its own", "在新标签页打开";
    open_page: "Open the page", "打开页面";
    open_live: "Open live", "打开原网址";
    other_layout: "another layout", "布局变化";
    over_time: "Versions over time", "版本走势";
    page: "Page", "页面";
    page_type: "Type", "类型";
    page_types: "Page types", "页面类型";
    pages: "Pages", "页面";
    pages_lower: "pages", "个页面";
    parameters: "Parameters", "参数";
    patterns: "What its events do", "事件的作用";
    posts: "Posts", "帖子";
    program: "program", "程序";
    proofs: "proofs", "项佐证";
    queued: "not visited yet", "待访问";
    reached: "Reached", "到达方式";
    reason: "Reason", "原因";
    records: "Records", "记录";
    redirects: "redirects", "重定向";
    refused: "Refused", "拒绝";
    removed: "removed", "删除";
    replay: "Replay", "重放";
    replay_note: "The page as it was captured, from the archive's own origin. No script runs, and nothing is loaded from elsewhere.", "采集时的页面，由独立来源提供。不运行脚本，也不从外部加载任何内容。";
    replies: "Replies", "回复";
    running: "running", "运行中";
    says: "Says", "内容";
    search: "Search", "搜索";
    search_note: "Every text that was ever shown, with when it stood. Words are all asked for; \"a phrase\", OR, -word, word*, topic: and title: say more. A question mark at the end asks for dated answers.", "检索曾经显示过的全部文本及其存续时间。默认要求包含全部词语；可用 \"短语\"、OR、-词、词*、topic:、title:。以问号结尾则给出带日期的回答。";
    search_words: "What pages say, or said", "页面现在或曾经的内容";
    sections: "Sections", "栏目";
    seen: "Seen", "时间范围";
    show: "Show", "显示";
    side_by_side: "side by side", "并排";
    since: "since", "自";
    site: "Site", "站点";
    sites: "Sites", "站点";
    size: "Size", "大小";
    skip: "Skip to content", "跳到内容";
    skipped: "Skipped", "跳过";
    sort: "Sort", "排序";
    states: "States", "状态";
    status: "Status", "状态码";
    still_there: "still there", "仍在";
    stored_as: "{stored} keep {raw} of pages and answers, {versions} versions in all", "以 {stored} 保存 {raw} 的页面与响应，共 {versions} 个版本";
    text: "Text", "文本";
    theme: "Colours", "配色";
    theme_auto: "Auto", "自动";
    theme_dark: "Dark", "深色";
    theme_light: "Light", "浅色";
    threads: "Threads", "主题";
    time: "Time", "时间";
    times: "Times", "次数";
    title: "Title", "标题";
    title_or_url: "Title or URL", "标题或网址";
    to: "To", "到";
    to_first: "To the first", "回到首页";
    to_start: "To the sites", "回到站点";
    token: "Token", "令牌";
    token_asked: "This archive asks for its token.", "访问此档案需要令牌。";
    token_wrong: "That is not the token.", "令牌不正确。";
    topics_changed: "Topics that changed", "变化的主题";
    version: "Version", "版本";
    versions: "Versions", "版本";
    views: "Views", "视图";
    visits: "Visits", "访问";
    waiting: "waiting", "待处理";
    waiting_tasks: "Waiting", "待处理";
    way_here: "How it was reached", "到达路径";
    where_: "Where", "位置";
    with_words: "With the words", "包含文字";
    worked_out: "This is still being worked out; look again in a while.", "正在计算，请稍后再看。";
    worth_a_look: "worth a look on", "建议再访";
}

/// Words that the store has for what it keeps.
const TERMS: &[(&str, &str)] = &[
    ("header", "页眉"),
    ("navigation", "导航"),
    ("main", "正文"),
    ("list", "列表"),
    ("comments", "评论"),
    ("form", "表单"),
    ("advert", "广告"),
    ("media", "媒体"),
    ("footer", "页脚"),
    ("other", "其他"),
    ("thread", "主题"),
    ("post", "帖子"),
    ("item", "条目"),
    ("boards", "版块"),
    ("user", "用户"),
    ("http", "直接请求"),
    ("browser", "浏览器"),
    ("queued", "待访问"),
    ("captured", "已采集"),
    ("redirect", "重定向"),
    ("failed", "失败"),
    ("merged", "已合并"),
    ("held", "搁置"),
    ("text", "文字"),
    ("link", "链接"),
    ("image", "图片"),
    ("format", "格式"),
    ("script", "脚本"),
    ("volatile", "易变"),
    ("version", "版本"),
    ("blocks", "区块"),
    ("records", "记录"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_the_first_that_the_browser_asks_for() {
        assert_eq!(Language::wanted("zh-CN,zh;q=0.9,en;q=0.8"), Some(Language::Chinese));
        assert_eq!(Language::wanted("de, en;q=0.5, zh;q=0.4"), Some(Language::English));
        assert_eq!(Language::wanted("en;q=0.1,zh-Hans;q=0.2"), Some(Language::Chinese));
        assert_eq!(Language::wanted("fr"), None);
        assert_eq!(Language::wanted(";q=x,é"), None);
    }

    #[test]
    fn a_sentence_has_the_same_places_in_either_language() {
        for place in ["{expected}", "{most}", "{deferred}", "{documents}", "{audited}", "{wrong}"] {
            assert!(ENGLISH.bound.contains(place) && CHINESE.bound.contains(place), "{place}");
        }
        assert!(ENGLISH.first_only.contains("{most}") && CHINESE.first_only.contains("{most}"));
    }
}
