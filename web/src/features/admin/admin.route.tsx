// Security administration screen.
import { useSearchParams } from 'react-router-dom'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import { useCurrentUser } from '@/features/session/use-session'
import { LinkButton } from '@/ui/button'
import { type Tab, TabList, TabPanel } from '@/ui/tabs'
import { AlertsCard } from './components/alerts-card'
import { AuditCard } from './components/audit-card'
import { ClientsCard } from './components/clients-card'
import { ComplianceCard } from './components/compliance-card'
import { SecurityControlsCard } from './components/controls-card'
import { DemoRequestsCard } from './components/demo-requests-card'
import { InviteBusinessCard } from './components/invite-business-card'
import { SendingNumbersCard } from './components/sending-numbers-card'
import { SecurityStatusCard } from './components/status-card'
import { adminMessages } from './messages'

type TabName = 'security' | 'clients'

const TABS: readonly Tab<TabName>[] = [
  { name: 'security', label: t('Security Controls'), icon: 'shield' },
  { name: 'clients', label: t('Client Management'), icon: 'user' },
]

export function Component() {
  useDocumentTitle(adminMessages.title)
  const { role, isPlatformAdmin } = useCurrentUser()
  const [params, setParams] = useSearchParams()
  const isOwner = role === 'owner'
  const current: TabName = params.get('tab') === 'clients' ? 'clients' : 'security'
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h1 className="flex-1 text-title">{adminMessages.title}</h1>
        <LinkButton variant="secondary" icon="arrow-left" to={paths.home}>
          {adminMessages.back}
        </LinkButton>
      </header>
      <TabList
        label={adminMessages.title}
        id="admin"
        tabs={TABS}
        current={current}
        onChange={(name) => setParams({ tab: name }, { replace: true })}
      />
      <TabPanel id="admin" name="security" hidden={current !== 'security'}>
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-2">
          <SecurityStatusCard />
          {isOwner && <ComplianceCard />}
          <div className="lg:col-span-2">
            <SecurityControlsCard />
          </div>
          {isOwner && (
            <div className="lg:col-span-2">
              <AlertsCard />
            </div>
          )}
          <div className="lg:col-span-2">
            <AuditCard />
          </div>
          {isPlatformAdmin && (
            <div className="lg:col-span-2">
              <DemoRequestsCard />
            </div>
          )}
        </div>
      </TabPanel>
      <TabPanel id="admin" name="clients" hidden={current !== 'clients'}>
        {current === 'clients' && (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            {isPlatformAdmin && <InviteBusinessCard />}
            {isOwner || isPlatformAdmin ? <ClientsCard /> : <OwnersOnly />}
            {isPlatformAdmin && <SendingNumbersCard />}
          </div>
        )}
      </TabPanel>
    </div>
  )
}

function OwnersOnly() {
  return (
    <p className="glass-card p-5 text-muted">
      {t('Who can sign in is the owner’s to see. Ask the owner of the business.')}
    </p>
  )
}
