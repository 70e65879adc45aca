//! What the estimate's page shows, as its template reads it.

use std::collections::BTreeMap;

use minijinja::{Value, value::Serde};
use serde::Serialize;
use shared::{
    documents::line_items::{Line, Selection},
    domain::money::estimate::{Offer, Status, approve},
    platform::money::Cents,
};

use super::super::{
    Door,
    field_error::Fault,
    form::Pairs,
    letterhead,
    paper::{LineView, paragraphs, quantity_shown, sums},
    pay::PayView,
    words::Words,
};

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
    pub is_deposit_paid: bool,
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
    /// "2 each × $45.00"; nothing where it says no more than the price.
    quantity: Option<String>,
    /// The option it belongs to, where that is not each.
    only_with: Option<String>,
    option_id: Option<String>,
    is_ticked: bool,
    /// Of another option than the chosen one.
    is_out: bool,
}

impl Shown<'_> {
    pub(super) fn context(&self) -> Value {
        let (offer, words, paper) = (self.offer, self.words, self.offer.paper());
        let totals = paper.totals(self.selection);
        let deposit = offer.deposit().of(totals.total);
        let before: Vec<(String, String)> =
            offer.before().into_iter().map(|(label, amount)| (label, amount.shown())).collect();
        minijinja::context! {
            state => state(offer.status), is_open => offer.status == Status::Open,
            number => offer.number(), title => offer.title(), customer => offer.customer(),
            issued => words.day(offer.issued_on), expires => offer.expires_on.map(|day| words.day(day)),
            lines => Serde(self.lines(None)),
            options => Serde(self.options()), add_ons => Serde(self.add_ons()),
            sums => Serde(sums(&totals, words)), total => totals.total.shown(),
            deposit => (deposit > Cents::ZERO && !self.is_deposit_over()).then(|| deposit.shown()),
            notes => paragraphs(paper.notes.as_deref()), terms => paragraphs(paper.terms.as_deref()),
            job => offer.job(), before => Serde(&before), after => offer.with(totals.total).shown(),
            agree => approve::wording(offer.sort(), offer.language(), paper.terms.is_some()), sha256 => offer.sha256.as_str(),
            error => Serde(&self.error), is_asked => self.is_asked, asks_with => "estimate",
            name => self.typed.one("name"), strokes => self.typed.one("strokes"),
            question => self.question(), reason => self.reason(),
            approval => Serde(self.approval()),
            has_signed => offer.signed_file.is_some(), pay => Serde(&self.pay), deposit_paid => self.is_deposit_paid,
            ..letterhead::at(self.door, self.token, words)
        }
    }

    /// Nothing of it is asked for any more, and it is not simply paid: it was taken off the bill, or the invoice asks for it.
    fn is_deposit_over(&self) -> bool {
        self.offer.status == Status::Approved && self.pay.is_none() && !self.is_deposit_paid
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
        own.map(|line| LineView::of(paper, line, self.words)).collect()
    }

    fn options(&self) -> Vec<OptionView> {
        let paper = self.offer.paper();
        let recommended = paper.recommended.as_ref();
        let view = |option: &shared::documents::line_items::Choice| OptionView {
            id: option.id.clone(),
            name: option.name.clone(),
            description: paragraphs(option.description.as_deref()),
            lines: self.lines(Some(&option.id)),
            total: paper.totals(&self.with(&option.id)).total.shown(),
            is_chosen: self.selection.option_id.as_ref() == Some(&option.id),
            is_recommended: recommended == Some(&option.id),
        };
        let all = paper.options.iter().map(view);
        // What was signed is shown without what was not chosen.
        all.filter(|option| option.is_chosen || self.offer.approval.is_none()).collect()
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
            price: added(paper.price_of(line)),
            quantity: quantity_shown(line),
            only_with: line.option_id.as_ref().and_then(named),
            option_id: line.option_id.clone(),
            is_ticked: self.selection.add_ons.contains(&line.id),
            is_out: !line.fits(self.selection.option_id.as_deref()),
        };
        let all = paper.lines.iter().filter(|line| line.is_optional).map(view);
        all.filter(|add| add.is_ticked || self.offer.approval.is_none()).collect()
    }
}

/// "+ $75.00"; what is taken off has its own sign.
fn added(price: Cents) -> String {
    if price < Cents::ZERO { price.shown() } else { format!("+ {}", price.shown()) }
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
