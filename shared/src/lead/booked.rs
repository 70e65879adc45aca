//! A request that comes with a visit of its own: known, agreed to and counted as every form, and answered by the visit's
//! own words instead of by a rule.

use super::{
    Form, Intake, NewLead, Receipt, Sender,
    accept::{self, accept},
    consent, customer,
    hold::{source_hash, why_held},
    owner,
    store::{Request, touch_row},
};
use crate::{
    audit::Actor,
    db::{Tx, batch::insert_all, q},
    error::Result,
    hook::{self, Happening},
    id::{LeadId, TouchId},
    live::{self, Topic},
    template::Language,
};

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// A person of the business looks at it first: it may be a robot's.
    Held(Receipt),
    In(LeadId),
}

/// What the caller makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum As {
    /// A visit at once: whoever books is proven.
    Visit,
    /// A request, until they confirm it.
    Request,
}

/// The network it came from, blurred; none for who is not counted.
pub(crate) fn source(intake: &Intake<'_>, sender: &Sender) -> Option<Vec<u8>> {
    source_hash(intake.secret, sender).filter(|_| !sender.is_exempt)
}

/// Takes in somebody who books. One who may be a robot is an ordinary request that is held, with `wish` as its
/// words. The caller writes the audit line of the visit.
pub(crate) async fn booked(
    tx: &mut Tx,
    intake: &Intake<'_>,
    new: &NewLead,
    (wish, as_what): (&str, As),
    language: Language,
    sender: &Sender,
    actor: &Actor,
) -> Result<Came> {
    let (origin, org) = (intake.origin, intake.profile.org.id);
    if why_held(&mut *tx, intake, new, sender).await?.is_some() {
        let plain = NewLead { form: Form::Lead, ..with_wish(new, wish) };
        return Ok(Came::Held(accept(tx, intake, &plain, sender, &[], actor).await?));
    }
    // The words of the wish are ours, in English, and are not how they write.
    let language = new.language().unwrap_or(language);
    let asked = with_wish(new, wish);
    let new = if as_what == As::Visit { new } else { &asked };
    let who = customer::recognise(&mut *tx, origin, org, new).await?;
    let request = Request { new, who: &who, photos: 0, held: None, at: origin.now() };
    let mut rows = Vec::with_capacity(6);
    let (id, open) = request.place(&mut *tx, origin, org, &mut rows).await?;
    rows.push(touch_row(origin, org, new, source(intake, sender), id, TouchId(origin.uuid()), true));
    rows.push(consent::rows(intake, new, sender, &who, id));
    rows.push(live::event(origin, org, Topic::Lead, id.0, None));
    insert_all(&mut *tx, &rows).await?;
    let sql = "UPDATE customer SET language = $3 WHERE org_id = $1 AND id = $2 AND (language IS NULL OR $4)";
    q!(&mut *tx, execute, sql, org, who.id, language, who.is_new)?;
    if !who.is_new {
        accept::stop_nudges_of(&mut *tx, intake, new, &who).await?;
    }
    if as_what == As::Request && open.is_none() {
        accept::note_born(tx, intake, &request, id);
        hook::tell(&mut *tx, origin, org, Happening::lead_created(id)).await?;
    }
    if request.is_first(open.as_ref()) {
        owner::by_rule(tx, intake, id, &new.zip).await?;
    }
    Ok(Came::In(id))
}

fn with_wish(new: &NewLead, wish: &str) -> NewLead {
    let notes = [Some(wish), new.notes.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("\n");
    NewLead { notes: Some(notes), ..new.clone() }
}
