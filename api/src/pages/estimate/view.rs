//! What the estimate's page shows, as its template reads it.

use std::collections::BTreeMap;

use minijinja::{Value, value::Serde};
use serde::Serialize;
use shared::{
    estimate::{Offer, Status, approve},
    money::{Cents, Ppm},
    paper::{Line, Paper, Part, Selection, Totals},
};

use super::super::{Door, SCRIPT_PATH, STYLE_PATH, fault::Fault, form::Pairs, pay::PayView, shown_phone, words::Words};

/// One page about to be drawn.
pub(super) struct Shown<'a> {
    pub door: &'a Door,
    pub token: &'a str,
    pub offer: &'a Offer,
    pub words: &'static Words,
    pub selection: &'a Selection,
    pub typed: &'a Pairs,
    pub error: Option<Fault>,
    pub is_asked: bool,
    /// What is left of the deposit, and whether it can be paid by card.
    pub pay: Option<PayView>,
}

#[derive(Serialize)]
struct LineView {
    name: String,
    description: Vec<String>,
    /// "2.5 hour × $90.00"; nothing where it says no more than the amount.
    quantity: Option<String>,
    discount: Option<String>,
    amount: String,
}

#[derive(Serialize)]
struct OptionView {
    id: String,
    name: String,
    description: Vec<String>,
    lines: Vec<LineView>,
    total: String,
    is_chosen: bool,
    is_recommended: bool,
}

#[derive(Serialize)]
struct AddOnView {
    id: String,
    name: String,
    description: Vec<String>,
    price: String,
    /// The option it belongs to, where that is not each.
    only_with: Option<String>,
    option_id: Option<String>,
    is_ticked: bool,
    /// Of another option than the chosen one.
    is_out: bool,
}

/// A label and an amount.
type Sum = (String, String);

impl Shown<'_> {
    pub(super) fn context(&self) -> Value {
        let (offer, words, paper) = (self.offer, self.words, self.offer.paper());
        let org = &self.door.profile.org;
        let totals = paper.totals(self.selection);
        let deposit = offer.deposit().of(totals.total);
        let phone = org.phone.as_deref();
        minijinja::context! {
            w => Serde(words), style => STYLE_PATH.as_str(), script => SCRIPT_PATH.as_str(),
            at => format!("/p/{}", self.token),
            state => state(offer.status), is_open => offer.status == Status::Open,
            business => org.name.as_str(), phone => phone.map(shown_phone),
            phone_href => phone.map(|phone| format!("tel:{phone}")),
            logo => org.logo_key.as_ref().map(|_| format!("/api/public/logo/{}", org.id)),
            licence => org.licence_line.as_deref(),
            number => offer.number(), title => offer.title(), customer => offer.customer(),
            issued => words.day(offer.issued_on), expires => offer.expires_on.map(|day| words.day(day)),
            lines => Serde(self.lines(None)),
            options => Serde(self.options()), add_ons => Serde(self.add_ons()),
            sums => Serde(self.sums(&totals)), total => totals.total.shown(),
            deposit => (deposit > Cents::ZERO).then(|| deposit.shown()),
            notes => paragraphs(paper.notes.as_deref()), terms => paragraphs(paper.terms.as_deref()),
            agree => approve::wording(offer.language()), sha256 => offer.sha256.as_str(),
            error => Serde(&self.error), is_asked => self.is_asked,
            name => self.typed.one("name"), strokes => self.typed.one("strokes"),
            question => self.question(), reason => self.reason(),
            approval => Serde(self.approval()),
            has_signed => offer.signed_file.is_some(), pay => Serde(&self.pay),
        }
    }

    /// What was typed into a form that was refused.
    fn question(&self) -> Option<&str> {
        self.typed.one("question").filter(|_| self.error.is_some())
    }

    fn reason(&self) -> Option<&str> {
        self.typed.one("reason").filter(|_| self.error.is_some())
    }

    fn approval(&self) -> Option<BTreeMap<&'static str, String>> {
        let approval = self.offer.approval.as_ref()?;
        let at = self.words.moment(approval.at, self.door.profile.org.zone());
        Some(BTreeMap::from([("name", approval.name.clone()), ("at", at)]))
    }

    /// The lines that are always there, or those that only this option has.
    fn lines(&self, option: Option<&str>) -> Vec<LineView> {
        let paper = self.offer.paper();
        let own = paper.lines.iter().filter(|line| !line.is_optional && line.option_id.as_deref() == option);
        own.map(|line| self.line(paper, line)).collect()
    }

    fn line(&self, paper: &Paper, line: &Line) -> LineView {
        let is_plain = line.quantity.shown() == "1";
        let each = format!("{} {} × {}", line.quantity.shown(), line.unit, line.unit_price.shown());
        let discount = match line.discount {
            Part::None => None,
            Part::Percent(percent) => Some(format!("{} {}", self.words.discount, percent_shown(percent))),
            Part::Amount(amount) => Some(format!("{} {}", self.words.discount, amount.shown())),
        };
        LineView {
            name: line.name.clone(),
            description: paragraphs(line.description.as_deref()),
            quantity: (!is_plain).then_some(each),
            discount,
            amount: paper.price_of(line).shown(),
        }
    }

    fn options(&self) -> Vec<OptionView> {
        let paper = self.offer.paper();
        let recommended = paper.recommended.as_ref();
        let view = |option: &shared::paper::Choice| OptionView {
            id: option.id.clone(),
            name: option.name.clone(),
            description: paragraphs(option.description.as_deref()),
            lines: self.lines(Some(&option.id)),
            total: paper.totals(&self.with(&option.id)).total.shown(),
            is_chosen: self.selection.option_id.as_ref() == Some(&option.id),
            is_recommended: recommended == Some(&option.id),
        };
        paper.options.iter().map(view).collect()
    }

    /// This option, with the add-ons that are ticked and that it has.
    fn with(&self, option: &str) -> Selection {
        let paper = self.offer.paper();
        let fits = paper.add_ons(Some(option)).map(|line| line.id.clone());
        let add_ons = fits.filter(|id| self.selection.add_ons.contains(id)).collect();
        Selection { option_id: Some(option.to_owned()), add_ons }
    }

    fn add_ons(&self) -> Vec<AddOnView> {
        let paper = self.offer.paper();
        let named =
            |id: &String| paper.options.iter().find(|option| option.id == *id).map(|option| option.name.clone());
        let view = |line: &Line| AddOnView {
            id: line.id.clone(),
            name: line.name.clone(),
            description: paragraphs(line.description.as_deref()),
            price: paper.price_of(line).shown(),
            only_with: line.option_id.as_ref().and_then(named),
            option_id: line.option_id.clone(),
            is_ticked: self.selection.add_ons.contains(&line.id),
            is_out: !line.fits(self.selection.option_id.as_deref()),
        };
        paper.lines.iter().filter(|line| line.is_optional).map(view).collect()
    }

    /// What stands between the lines and the total; nothing where there is neither discount nor tax.
    fn sums(&self, totals: &Totals) -> Vec<Sum> {
        let mut sums = Vec::new();
        if totals.discount == Cents::ZERO && totals.taxes.is_empty() {
            return sums;
        }
        sums.push((self.words.subtotal.to_owned(), totals.subtotal.shown()));
        if totals.discount != Cents::ZERO {
            sums.push((self.words.discount.to_owned(), Cents(-totals.discount.0).shown()));
        }
        for tax in &totals.taxes {
            let name = tax.name.as_deref().unwrap_or(if self.words.code == "es" { "Impuesto" } else { "Tax" });
            sums.push((format!("{name} {}", percent_shown(tax.rate)), tax.amount.shown()));
        }
        sums
    }
}

fn state(status: Status) -> &'static str {
    match status {
        Status::Open | Status::Preparing => "open",
        Status::Expired => "expired",
        Status::Approved => "approved",
        Status::Declined => "declined",
        Status::Replaced | Status::Superseded => "replaced",
        Status::Withdrawn => "withdrawn",
    }
}

fn paragraphs(text: Option<&str>) -> Vec<String> {
    text.unwrap_or_default().lines().map(str::trim_end).filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect()
}

/// `8.25%`.
fn percent_shown(rate: Ppm) -> String {
    format!("{}%", rate.percent())
}
