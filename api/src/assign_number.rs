//! `api assign-number <number> <business>`: the operator gives a number to a business, where no operator signs in.

use api::commands::{self, CommandResult};
use shared::{
    domain::{
        messaging::sending_number::{
            self,
            notice::SenderNoticeContext,
            operator_assignment::{self, NumberMove},
            pool::ServicePool,
        },
        tenancy::org::SendChannels,
    },
    ops::{settings::InstallSettings, tenant_data::removal::find_org_by_slug_or_id},
    platform::{
        clock::ClockRng,
        db::{AsConn, Db},
        error::{Error, Result},
        id::OrgId,
        phone::Phone,
    },
    providers::{
        http_client,
        mail::MailTransport,
        sms::{SmsProvider, SmsSender},
    },
};

/// What the command line names.
pub struct NumberAssignmentArgs {
    pub number: String,
    pub business: String,
    pub from: Option<String>,
}

pub async fn assign_number(
    settings: &InstallSettings,
    origin: &ClockRng,
    wanted: &NumberAssignmentArgs,
) -> CommandResult {
    let servers = settings.sms.sender().and_then(SmsSender::phone_number);
    // `TWILIO_FROM` may be a short code.
    let parsed = Phone::parse(&wanted.number).map(|phone| phone.as_e164().to_owned());
    let number = parsed.unwrap_or_else(|| wanted.number.clone());
    let is_installs = servers == Some(number.as_str());
    let http = http_client().map_err(|e| e.to_string())?;
    let sms = SmsProvider::from_config(&settings.sms, &http);
    if !is_installs {
        require_textable_number(&sms, &number).await?;
    }
    let pool = load_service_pool(settings, &sms).await;
    let db = commands::connect_database(settings).await?;
    let notices = notice_context(settings);
    let done = move_number(&db, origin, wanted, (&number, is_installs), (pool.as_ref(), notices)).await;
    db.close().await;
    done
}

fn notice_context(settings: &InstallSettings) -> SenderNoticeContext {
    let set_up = SendChannels {
        sms: settings.sms.is_set_up(),
        email: matches!(settings.mail.way, MailTransport::Smtp(_)),
        takes_money: settings.billing.is_some(),
    };
    SenderNoticeContext { set_up, numbers_per_business: settings.numbers_per_business }
}

async fn require_textable_number(sms: &SmsProvider, number: &str) -> std::result::Result<(), String> {
    let found = sms.list_account_numbers(Some(number)).await;
    let found = found.map_err(|e| format!("Twilio's list of numbers could not be read: {}", e.reason()))?;
    if found.first().is_some_and(|one| one.can_text) {
        return Ok(());
    }
    Err(format!("{number} is not in the account at Twilio, or cannot send texts"))
}

async fn load_service_pool<'a>(settings: &'a InstallSettings, sms: &SmsProvider) -> Option<ServicePool<'a>> {
    let service = settings.sms.service_sid()?;
    Some(ServicePool { service, numbers: sms.list_service_numbers(service).await.ok() })
}

async fn move_number(
    db: &Db,
    origin: &ClockRng,
    wanted: &NumberAssignmentArgs,
    (number, is_installs): (&str, bool),
    (pool, notices): (Option<&ServicePool<'_>>, SenderNoticeContext),
) -> CommandResult {
    let mut tx = db.begin().await.map_err(|e| e.to_string())?;
    let to = find_business(&mut tx, &wanted.business).await?;
    let from = match &wanted.from {
        Some(from) => Some(find_business(&mut tx, from).await?),
        None => None,
    };
    let is_theirs = is_holder(&mut tx, number, to).await.map_err(|e| e.to_string())?;
    if let Some(holder) = find_other_holder(&mut tx, number, to).await.map_err(|e| e.to_string())?
        && Some(holder.id) != from
    {
        return Err(format!(
            "{number} belongs to {} ({}). To take it away from them, add --from {}",
            holder.name, holder.slug, holder.slug
        ));
    }
    let wished = NumberMove { number, is_installs, to, from };
    let moved = operator_assignment::assign_by_operator(&mut tx, origin, wished, (pool, notices)).await;
    moved.map_err(|e| format!("it was not done: {e}"))?;
    tx.commit().await.map_err(|e| format!("it was not done: {e}"))?;
    if is_theirs {
        return Ok(format!(
            "{number} already belongs to {}; nothing changed, and no one gets an email",
            wanted.business
        ));
    }
    Ok(format!("{number} now belongs to {}; the owners get an email", wanted.business))
}

async fn is_holder(conn: &mut dyn AsConn, number: &str, business: OrgId) -> Result<bool> {
    let holder = sending_number::find_holder(conn, number).await?;
    Ok(holder.is_some_and(|holder| holder.org_id == business))
}

async fn find_business(conn: &mut dyn AsConn, named: &str) -> std::result::Result<OrgId, String> {
    find_org_by_slug_or_id(conn, named).await.map(|org| org.id).map_err(|e| match e {
        Error::NotFound => format!("no business is called {named}"),
        other => other.to_string(),
    })
}

async fn find_other_holder(
    conn: &mut dyn AsConn,
    number: &str,
    to: OrgId,
) -> Result<Option<shared::domain::tenancy::org::Org>> {
    match sending_number::find_holder(&mut *conn, number).await? {
        Some(holder) if holder.org_id != to => shared::domain::tenancy::org::find(conn, holder.org_id).await,
        _ => Ok(None),
    }
}
