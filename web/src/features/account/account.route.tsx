// Account screen: password, two-factor sign-in, passkeys, devices.
import { useQuery } from '@tanstack/react-query'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { useCurrentUser } from '@/features/session/use-session'
import { QueryBoundary } from '@/ui/query-boundary'
import { SkeletonLines } from '@/ui/skeleton'
import { DevicesCard } from './devices-card'
import { LanguageCard } from './language-card'
import { accountMessages as texts } from './messages'
import { PasskeysCard } from './passkeys-card'
import { PasswordCard } from './password-card'
import { accountQueries } from './queries'
import { ShortcutsCard } from './shortcuts-card'
import { TwoFactorCard } from './two-factor-card'

export function Component() {
  useDocumentTitle(texts.title)
  const { orgId, id, orgTimezone } = useCurrentUser()
  const safety = useQuery(accountQueries.safety(orgId, id))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <h1 className="text-title">{texts.title}</h1>
      <QueryBoundary
        query={safety}
        skeleton={<SkeletonLines lines={6} />}
        errorText={texts.loadFailed}
        timeZone={orgTimezone}
      >
        {({ passwordChangedAt, secondFactor, keys }) => (
          <div className="grid items-start gap-4 lg:grid-cols-2">
            <TwoFactorCard stands={secondFactor} />
            <PasswordCard changedAt={passwordChangedAt} keys={keys} />
          </div>
        )}
      </QueryBoundary>
      <PasskeysCard />
      <DevicesCard />
      <LanguageCard />
      <ShortcutsCard />
    </div>
  )
}
