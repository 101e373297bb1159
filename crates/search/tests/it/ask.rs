use search::{Answer, Question};

use crate::shop::{Shop, at_length, day, page};

const URL: &str = "https://example.org/";

async fn shop() -> Shop {
    let shop = Shop::new();
    let mayor = |sum: &str| {
        at_length(&format!("Mayor Ann Miller said that the harbour bridge costs {sum} crowns."))
    };
    let cup = at_length("Netherby won the cup final against Overby.");
    let chinese = "王芳表示，新的港口大桥将于明年春天开放，预计耗资三亿元。市民们对此反应热烈，许多人已经开始规划新的通勤路线，\
        当地商会也表示欢迎。工程由两家公司共同承担，工期为十八个月。";
    shop.import(&[
        (URL, 0, page("News", &[("Bridge", &mayor("four million")), ("Cup", &cup)])),
        (URL, 9, page("News", &[("Bridge", &mayor("seven million")), ("Cup", &cup)])),
        ("https://example.org/zh", 3, page("新闻", &[("港口大桥", chinese)])),
    ])
    .await;
    shop
}

async fn ask(shop: &Shop, question: &str) -> Vec<Answer> {
    let index = shop.index().await;
    index.ask(&shop.catalog, &Question::new(question)).await.unwrap().answers
}

#[tokio::test]
async fn an_answer_is_a_passage_with_its_dates() {
    let shop = shop().await;
    let answers = ask(&shop, "What did Ann Miller say about the cost of the harbour bridge?").await;
    assert!(answers[0].text.contains("million crowns"), "{answers:?}");
    assert_eq!(answers[0].key, URL);
    for sum in ["four", "seven"] {
        let tells = |answer: &Answer| answer.text.contains(&format!("{sum} million crowns"));
        assert!(answers.iter().any(tells), "both versions of the block: {answers:?}");
    }
}

#[tokio::test]
async fn a_question_about_a_time_is_answered_by_what_stood_then() {
    let shop = shop().await;
    let early = ask(&shop, "What does the harbour bridge cost, on 3 January 2026?").await;
    assert!(early[0].text.contains("four million"), "{early:?}");
    assert_eq!((early[0].first_seen, early[0].is_there), (day(0), false));
    let late = ask(&shop, "What does the harbour bridge cost, on 10 January 2026?").await;
    assert!(late[0].text.contains("seven million"), "{late:?}");
    let never = ask(&shop, "What does the harbour bridge cost, in 2019?").await;
    assert!(never.is_empty(), "{never:?}");
}

#[tokio::test]
async fn a_chinese_question_has_a_chinese_answer() {
    let shop = shop().await;
    let answers = ask(&shop, "港口大桥什么时候开放？").await;
    assert!(answers[0].text.contains("明年春天开放"), "{answers:?}");
    assert_eq!(answers[0].first_seen, day(3));
}

#[tokio::test]
async fn what_nobody_wrote_of_is_not_answered() {
    let shop = shop().await;
    for question in [
        "Who discovered penicillin?",
        "What did Ann Miller say about the volcano on Mars?",
        "月球上的火山有多高？",
        "who what when",
    ] {
        let answers = ask(&shop, question).await;
        assert!(answers.is_empty(), "{question}: {answers:?}");
    }
}
