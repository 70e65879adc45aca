//! The number that a business registers.

use super::TextingRegistrationKind;
use crate::{
    domain::messaging::sending_number::{self, SenderAssignment},
    platform::{db::AsConn, error::Result, id::OrgId, phone::Phone},
};

/// The number that a business registers, and how: the local one that it sends from where that can be done here, else a
/// toll-free one, else the local one.
pub async fn find_number_to_register(
    conn: &mut dyn AsConn,
    org: OrgId,
    sends_from: Option<&str>,
    takes_local: bool,
) -> Result<Option<(TextingRegistrationKind, String)>> {
    let is_local = |number: &&str| Phone::from_e164(number).is_none_or(|phone| !phone.is_toll_free());
    let local = sends_from.filter(is_local).map(|number| (TextingRegistrationKind::TenDlc, number.to_owned()));
    if takes_local && local.is_some() {
        return Ok(local);
    }
    let toll_free = find_toll_free_number(conn, org, sends_from).await?;
    Ok(toll_free.map(|number| (TextingRegistrationKind::TollFree, number)).or(local))
}

/// The number that a business registers: the toll-free one that it sends from, else another of its toll-free numbers.
async fn find_toll_free_number(conn: &mut dyn AsConn, org: OrgId, sends_from: Option<&str>) -> Result<Option<String>> {
    let all = sending_number::list_senders_of_org(conn, org).await?;
    let is_toll_free =
        |one: &&SenderAssignment| Phone::from_e164(&one.sender).is_some_and(|phone| phone.is_toll_free());
    let found: Vec<&SenderAssignment> = all.iter().filter(is_toll_free).collect();
    let current = found.iter().find(|one| Some(one.sender.as_str()) == sends_from);
    Ok(current.or(found.first()).map(|one| one.sender.clone()))
}
