// Settings made before the owner confirmed the address: reset all, or keep.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schema } from '@/api/client'
import { formatCount } from '@/lib/format/number'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { BreakableAddress } from '@/ui/breakable-address'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Icon } from '@/ui/icon'
import { trustQuery, useResolveInherited } from './queries'

type Item = Schema['InheritedItem']

const NAMES = {
  wording: t('Wordings of texts and emails'),
  canned_reply: t('Saved replies'),
  price: t('Prices'),
  webhook: t('Webhooks'),
  setting: t('Groups of settings, with call forwarding'),
  review_link: t('Review link'),
  booking_link: t('Booking link'),
  business_phone: t('Business phone'),
  logo: t('Logo'),
  licence_line: t('License line on estimates and invoices'),
  postal_address: t('Mailing address'),
  time_zone: t('Time zone'),
  switch: t('Switched off'),
  crew: t('Crews'),
  retention: t('How long data is kept'),
  review_key: t('Key for reviews'),
  crew_calendar: t('Crew calendars'),
  team_member: t('Other sign-ins, switched off already'),
} as const satisfies Record<Item['what'], string>

export function InheritedNotice() {
  const { orgId, role } = useCurrentUser()
  const { data } = useQuery(trustQuery(orgId))
  const [isOpen, setOpen] = useState(false)
  const decide = useResolveInherited()
  const inherited = data?.inherited
  if (role !== 'owner' || !inherited) return null
  const close = () => setOpen(false)
  return (
    <aside
      aria-label={t('Set before you confirmed your address')}
      className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 border-b border-warning/40 bg-warning/8 px-3 py-1 text-note sm:px-4 lg:px-6"
    >
      <Icon name="alert" className="size-4 shrink-0 text-warning" />
      <p className="min-w-0 flex-1 basis-48">
        <b className="text-warning">{t('Check what was set before you confirmed your address.')}</b>{' '}
        {t('If it was not you, reset it all.')}
      </p>
      <Button variant="ghost" onClick={() => setOpen(true)}>
        {t('Look')}
      </Button>
      <Dialog
        open={isOpen}
        onClose={close}
        title={t('Set before you confirmed your address')}
        actions={
          <>
            <Button
              variant="ghost"
              pending={decide.isPending && decide.variables === 'keep'}
              onClick={() => decide.mutate('keep', { onSuccess: close })}
            >
              {t('It was me, keep it')}
            </Button>
            <Button
              variant="danger"
              pending={decide.isPending && decide.variables === 'reset'}
              onClick={() => decide.mutate('reset', { onSuccess: close })}
            >
              {t('Reset it all')}
            </Button>
          </>
        }
      >
        <ul className="grid gap-3">
          {inherited.items.map(({ what, count, examples }) => (
            <li key={what}>
              <b>
                {NAMES[what]}: {formatCount(count)}
              </b>
              <span className="block text-note text-muted wrap-anywhere">
                <BreakableAddress>{examples.join(', ')}</BreakableAddress>
              </span>
            </li>
          ))}
        </ul>
        <p className="mt-4">{t('A reset puts our defaults in place of all of it. Customers and leads stay.')}</p>
      </Dialog>
    </aside>
  )
}
