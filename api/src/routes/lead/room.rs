//! Room for the photos of a form beside all others that wait. Each business has a share, so that no few of them keep the
//! photos of another away; and a network that sends more requests than are answered by themselves adds no more once a
//! part of the room is taken.

use shared::{
    domain::intake::{lead, photo_upload},
    platform::{db::tenant_scope::across_businesses, id::OrgId},
};

use super::photos::Photos;
use crate::{client_info::Who, error::ApiResult, state::AppState};

/// Leaves out the last photos of a form for which there is no room.
pub async fn fit(state: &AppState, who: &Who, org: OrgId, photos: &mut Photos) -> ApiResult<()> {
    for photo in &mut photos.kept {
        photo.part.is_for(org);
    }
    // Read before the rows: of two forms at one time, one at least sees the photos of the other, here or there.
    let (all, own) = (state.spool.receiving(), state.spool.receiving_for(org));
    let mut conn = across_businesses(state.db()?.read()).await?;
    let taken = Taken {
        all: photo_upload::waiting::bytes(&mut conn).await?.saturating_add(all),
        own: photo_upload::waiting::bytes_of(&mut conn, org).await?.saturating_add(own),
    };
    let (origin, secret) = (&state.origin, &state.settings.secret);
    let is_flood = lead::sends_too_many(&mut conn, origin, secret, &who.sender()).await?;
    drop(conn);
    let mut over = taken.over(state.settings.photo_spool, is_flood);
    while over > 0
        && let Some(photo) = photos.kept.pop()
    {
        over -= photo.part.bytes();
        photos.left_out += 1;
    }
    Ok(())
}

/// What waits or is being received, with the photos of this form, in bytes.
struct Taken {
    all: i64,
    own: i64,
}

impl Taken {
    /// By how much it is too much; not above zero when it is not.
    fn over(&self, limit: i64, is_flood: bool) -> i64 {
        let others = self.all.saturating_sub(self.own);
        let of_business = self.own.saturating_sub(photo_upload::share(limit, others));
        let of_flood = self.all.saturating_sub(photo_upload::share_of_network(limit));
        if is_flood { of_business.max(of_flood) } else { of_business }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn business_alone_has_half_of_the_room_and_each_further_one_half_of_what_is_left() {
        let over = |all, own| Taken { all, own }.over(800, false);
        assert_eq!((over(400, 400), over(401, 401)), (0, 1));
        assert_eq!((over(600, 200), over(601, 201)), (0, 1), "beside one that has half");
        assert_eq!((over(700, 100), over(701, 101)), (0, 1), "beside two");
        assert_eq!(over(900, 50), 50, "beside more than the room");
    }

    #[test]
    fn flooding_network_adds_photos_up_to_a_quarter_of_the_room() {
        let over = |all, own| Taken { all, own }.over(800, true);
        assert_eq!((over(200, 100), over(201, 100), over(500, 450)), (0, 1, 300));
    }
}
