//! What is read of forms, and what the gate says of them.

use page::form::{Assignment, Form, FormMethod, FormRefusal, InputKind, forms, judge, relations};
use page::tree::parse_str;
use url::Url;

fn page() -> Url {
    Url::parse("http://shop.example/list?page=2").unwrap()
}

fn all(html: &str) -> Vec<Form> {
    forms(&parse_str(html).dom, &page())
}

fn one(html: &str) -> Form {
    all(html).remove(0)
}

fn reasons(html: &str) -> Vec<String> {
    judge(&one(html), &page()).iter().map(ToString::to_string).collect()
}

#[test]
fn inputs_have_kinds_labels_values_and_defaults() {
    let form = one("<form action=/find>
        <table><tr><td>Make:</td><td><select name=make><option value=''>any</option><option selected>Saab</select></td></tr></table>
        <label for=c>Colour</label> <input id=c name=colour value=red placeholder=colour>
        <fieldset><legend>Condition</legend><label><input type=radio name=cond value=new checked>new</label>
        <label><input type=radio name=cond value=used>used</label></fieldset>
        <input type=checkbox name=opt value=abs> ABS <input type=checkbox name=opt value=ac> Air conditioning
        <select name=many multiple><option>a<option selected>b<option selected>c</select>
        <input type=number name=year min=1950><input type=hidden name=src value=hp><input disabled name=off>
        <button type=reset>Reset</button><input type=submit name=go value=Go></form>");
    let kinds: Vec<_> = form.inputs.iter().map(|it| (it.name.as_str(), it.kind.name())).collect();
    assert_eq!(
        kinds,
        [
            ("make", "select"),
            ("colour", "text"),
            ("cond", "radio"),
            ("opt", "check"),
            ("many", "multi"),
            ("year", "number"),
            ("src", "hidden"),
            ("off", "text")
        ]
    );
    let label = |name: &str| form.input(name).unwrap().label.clone();
    assert_eq!([label("make"), label("colour"), label("cond")], ["Make", "Colour", "Condition"]);
    let texts = |name: &str| -> Vec<String> {
        form.input(name).unwrap().options.iter().map(|it| it.text.clone()).collect()
    };
    assert_eq!(texts("cond"), ["new", "used"]);
    assert_eq!(texts("opt"), ["ABS", "Air conditioning"]);
    assert_eq!(form.input("many").unwrap().default, ["b", "c"]);
    assert_eq!(form.submitters.len(), 1, "a reset button sends nothing");
    let sent = form.submission(&Assignment::none().with("cond", "used")).unwrap();
    assert_eq!(
        sent.url.as_str(),
        "http://shop.example/find?make=Saab&colour=red&cond=used&many=b&many=c&year=&src=hp&go=Go"
    );
}

#[test]
fn a_control_belongs_to_the_form_that_it_names_or_that_the_parser_moved_away_from_it() {
    let found = all("<form id=a action=/a></form><input name=x form=a>
        <table><form action=/b><tr><td><input name=y></td></tr></form></table>
        <section><select name=z><option>1<option>2</select></section>");
    let names: Vec<_> = found.iter().map(|form| form.inputs[0].name.as_str()).collect();
    assert_eq!(names, ["x", "y", "z"]);
    assert_eq!(found[2].method, FormMethod::Script);
    assert!(judge(&found[2], &page()).contains(&FormRefusal::ByScript));
}

#[test]
fn the_same_form_on_two_pages_is_one_form() {
    let html = "<form><input type=hidden name=token value=1><input name=q></form>";
    let other = Url::parse("http://shop.example/list?page=77&token=x").unwrap();
    let elsewhere = forms(&parse_str(&html.replace("value=1", "value=2")).dom, &other).remove(0);
    assert_eq!(one(html).id(), elsewhere.id());
    assert_ne!(one(html).id(), one("<form method=post><input name=q></form>").id());
}

#[test]
fn searches_pass() {
    for html in [
        "<form action=/search><input name=q><button>Search</button></form>",
        "<form><select name=st><option>AK<option>AL</select><input type=submit value=go></form>",
        "<form action=/s><input name=wd placeholder=搜索></form>",
        "<form role=search><input name=username><button>Find people</button></form>",
        "<form action=/find><input type=hidden name=action value=search><input name=kw></form>",
        "<form><input type=hidden name=post_type value=post><input type=search name=s></form>",
        "<form action=/jobs><input name=salary_from><input name=salary_to><button>Submit</button></form>",
        "<form action=/buscar><input name=titulo><input type=submit value=Enviar></form>",
    ] {
        assert_eq!(reasons(html), Vec::<String>::new(), "{html}");
    }
}

#[test]
fn what_may_write_is_refused_with_its_reason() {
    for (html, reason) in [
        ("<form><input name=u><input type=password name=p></form>", "secret"),
        ("<form><input name=q><input type=file name=f></form>", "file"),
        ("<form><textarea name=t></textarea></form>", "long text"),
        ("<form><input name=email placeholder='Your e-mail'></form>", "e-mail"),
        ("<form><input name=x autocomplete=cc-number></form>", "secret"),
        ("<form><input name=q><input type=hidden name=g-recaptcha-response></form>", "secret"),
        (
            "<form action=/item/5/delete><select name=a><option>1<option>2</select></form>",
            "'delete'",
        ),
        ("<form action=/x><input name=n><button>Add to cart</button></form>", "'add'"),
        ("<form action=/x><input name=n><button>Löschen</button></form>", "'löschen'"),
        (
            "<form action=/x><select name=n><option>1<option>2</select><button>退订</button><button>删除</button></form>",
            "'删除'",
        ),
        ("<form action=/x><input name=n><button>Clear cache</button></form>", "'clear'"),
        (
            "<form action=/x><select name=n><option>a<option>b</select><button>Deploy</button></form>",
            "'deploy'",
        ),
        (
            "<form action=/x><input name=n><input type=hidden name=action value=logout></form>",
            "'logout'",
        ),
        ("<form action='?do=remove'><input name=n></form>", "'remove'"),
        (
            "<form action=/x.csv><input type=checkbox name=all><button>Export CSV</button></form>",
            "'export'",
        ),
        (
            "<form action=/x><input type=hidden name=id value=7><button>OK</button></form>",
            "what it is for",
        ),
        ("<form action=/x><input name=n><button formaction=/buy>Go</button></form>", "'buy'"),
        ("<form class=newsletter-signup><input name=a></form>", "'newsletter'"),
        ("<form method=dialog><input name=q></form>", "dialog"),
        ("<form action='javascript:go()'><input name=q></form>", "no address"),
        ("<form method=post><input name=q></form>", "POST and shows no sign"),
        ("<form><input name=q><button formmethod=post>Go</button></form>", "POST"),
        ("<form method=post action=/search><input name=q></form>", "a search that is sent by POST"),
        ("<form action=https://other.example/search><input name=q></form>", "another site"),
    ] {
        let reasons = reasons(html);
        assert!(reasons.iter().any(|it| it.contains(reason)), "{html}: {reasons:?}");
    }
}

#[test]
fn a_page_wide_form_is_no_search_because_a_field_in_it_is_one() {
    let html = "<form method=post id=aspnetForm><input type=hidden name=state value=x>
        <input type=search name=q placeholder=Search><button>OK</button></form>";
    assert!(reasons(html).iter().any(|reason| reason.contains("no sign")), "{:?}", reasons(html));
}

#[test]
fn ranges_and_conditions_are_told_by_their_names() {
    let form = one("<form><input name=year_min><input name=year_max>
        <select name=_column_1><option>a</select><select name=_op_1><option>is</select><input name=_value_1>
        <input name=to></form>");
    let found = relations(&form);
    assert_eq!(found.ranges, [("year_min".to_owned(), "year_max".to_owned())]);
    assert_eq!(found.conditions.len(), 1);
    assert_eq!(found.other_end("year_max"), Some("year_min"));
    assert!(found.is_in_condition("_value_1") && !found.is_in_condition("to"));
}

#[test]
fn hostile_forms_end_and_are_cut() {
    let many = "<form><input name=a list=l>".repeat(3_000) + &"<input name=b>".repeat(5_000);
    let found = all(&many);
    assert!(found.len() <= 800 && found.iter().all(|form| form.inputs.len() <= 2_000));
    let wide = format!("<select name=s>{}</select>", "<option>x".repeat(20_000));
    let form = one(&format!("<form>{wide}{}", wide.replace("<select", "<select multiple")));
    assert!(form.inputs.iter().all(|input| input.options.len() <= 5_000));
    assert!(form.combinations().is_finite());
    let long = format!("<form><label>{}<input name=q></label>", "word ".repeat(100_000));
    assert!(one(&long).inputs[0].label.chars().count() <= 121);
    assert_eq!(one("<form><select name=e></select>").inputs[0].kind, InputKind::Select);
}
