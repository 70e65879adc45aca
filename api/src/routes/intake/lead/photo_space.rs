//! Space for photos of forms that wait. Each business has a share, so that a few cannot use it all; a network
//! beyond the request rate that is answered automatically adds no photos once part of the space is taken.

use shared::{
    domain::intake::{lead, photo_upload},
    platform::{db::tenant_scope::across_tenants, id::OrgId},
};

use super::photos::ReceivedPhotos;
use crate::{client_info::RequestContext, error::ApiResult, state::AppState};

/// Drops the last photos of a form for which there is no room.
pub async fn drop_photos_over_limit(
    state: &AppState,
    who: &RequestContext,
    org: OrgId,
    photos: &mut ReceivedPhotos,
) -> ApiResult<()> {
    for photo in &mut photos.kept {
        photo.part.assign_business(org);
    }
    // Read before the rows: of two concurrent forms at least one sees the photos of the other, here or there.
    let (all, own) = (state.spool.receiving_bytes(), state.spool.receiving_bytes_for(org));
    let mut conn = across_tenants(state.db()?.acquire_reader()).await?;
    let taken = UploadSpaceUsage {
        all: photo_upload::pending_bytes::load_total_bytes(&mut conn).await?.saturating_add(all),
        own: photo_upload::pending_bytes::load_org_bytes(&mut conn, org).await?.saturating_add(own),
    };
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let is_flood = lead::is_network_over_limit(&mut conn, origin, secret, org, &who.form_sender()).await?;
    drop(conn);
    let mut over = taken.excess_bytes(state.settings.photo_spool, is_flood);
    while over > 0
        && let Some(photo) = photos.kept.pop()
    {
        over -= photo.part.byte_count();
        photos.left_out += 1;
    }
    Ok(())
}

/// Waiting and arriving photos including this form's, in bytes.
struct UploadSpaceUsage {
    all: i64,
    own: i64,
}

impl UploadSpaceUsage {
    /// Excess in bytes; zero or less when it fits.
    fn excess_bytes(&self, limit: i64, is_flood: bool) -> i64 {
        let others = self.all.saturating_sub(self.own);
        let of_business = self.own.saturating_sub(photo_upload::org_share_bytes(limit, others));
        let of_flood = self.all.saturating_sub(photo_upload::network_share_bytes(limit));
        if is_flood { of_business.max(of_flood) } else { of_business }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_business_may_use_half_the_room_and_further_ones_half_the_rest() {
        let over = |all, own| UploadSpaceUsage { all, own }.excess_bytes(800, false);
        assert_eq!((over(400, 400), over(401, 401)), (0, 1));
        assert_eq!((over(600, 200), over(601, 201)), (0, 1), "beside one that has half");
        assert_eq!((over(700, 100), over(701, 101)), (0, 1), "beside two");
        assert_eq!(over(900, 50), 50, "beside more than the room");
    }

    #[test]
    fn flooding_network_may_use_a_quarter_of_the_room() {
        let over = |all, own| UploadSpaceUsage { all, own }.excess_bytes(800, true);
        assert_eq!((over(200, 100), over(201, 100), over(500, 450)), (0, 1, 300));
    }
}
