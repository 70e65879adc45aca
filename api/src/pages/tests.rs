//! The pages as such: that they are sound, small, and the same in both languages.

use shared::{documents::template::Language, domain::money::estimate::Sort};

use super::{
    render::{SCRIPT, STYLE, STYLE_PATH, TEMPLATES, asset},
    words::Words,
};

#[test]
fn every_template_is_sound() {
    for name in [
        "frame.html",
        "estimate.html",
        "invoice.html",
        "visit.html",
        "book.html",
        "keep.html",
        "note.html",
        "review.html",
        "stop.html",
        "reference.html",
    ] {
        assert!(TEMPLATES.get_template(name).is_ok(), "{name}");
    }
}

#[test]
fn what_a_page_loads_is_small_and_has_an_address_that_changes_with_it() {
    assert!(STYLE.len() + SCRIPT.len() < 20_000);
    assert!(STYLE_PATH.starts_with("/p-assets/page-") && STYLE_PATH.ends_with(".css"));
    assert_ne!(asset("page", "a", "css"), asset("page", "b", "css"));
}

#[test]
fn both_languages_say_everything() {
    let words = |sort, language| serde_json::to_value(Words::of_paper(sort, language)).unwrap();
    for sort in [Sort::Estimate, Sort::ChangeOrder] {
        say_the_same(&words(sort, Language::En), &words(sort, Language::Es));
    }
    for language in [Language::En, Language::Es] {
        let said = words(Sort::ChangeOrder, language).to_string().to_lowercase();
        assert!(!said.contains("this estimate") && !said.contains("este presupuesto"), "{said}");
    }
}

fn say_the_same(english: &serde_json::Value, spanish: &serde_json::Value) {
    for (name, said) in english.as_object().unwrap() {
        let other = spanish[name].as_str().unwrap();
        assert!(!said.as_str().unwrap().is_empty() && !other.is_empty(), "{name}");
        assert!(matches!(name.as_str(), "subtotal" | "total") || said != &spanish[name], "{name} is not translated");
    }
}
