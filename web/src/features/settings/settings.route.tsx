import { lazy, Suspense, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useDocumentTitle } from '@/lib/hooks/use-document-title'
import { ErrorBoundary } from '@/ui/error-boundary'
import { UnsavedChangesGuard } from '@/ui/unsaved-changes-guard'
import { type Tab, TabList, TabPanel } from '@/ui/tabs'
import { TabSkeleton } from './components/tab-skeleton'
import { settingsMessages } from './messages'

const PANELS = {
  organization: lazy(async () => ({ default: (await import('./organization/organization-tab')).OrganizationTab })),
  money: lazy(async () => ({ default: (await import('./money/money-tab')).MoneyTab })),
  automation: lazy(async () => ({ default: (await import('./automation/automation-tab')).AutomationTab })),
  communications: lazy(async () => ({
    default: (await import('./communications/communications-tab')).CommunicationsTab,
  })),
  billing: lazy(async () => ({ default: (await import('./billing/billing-tab')).BillingTab })),
  developers: lazy(async () => ({ default: (await import('./developers/developers-tab')).DevelopersTab })),
  'control-panel': lazy(async () => ({ default: (await import('./control-panel/control-panel-tab')).ControlPanelTab })),
} as const

/** What has the focus scrolls into sight above the bar that saves. */
const SCROLL_MARGIN_CLASS = '[&_:is(input,textarea,select,button)]:scroll-mb-44'

type TabName = keyof typeof PANELS

const TABS: readonly Tab<TabName>[] = [
  { name: 'organization', label: 'Organization', icon: 'briefcase' },
  { name: 'money', label: 'Money', icon: 'dollar' },
  { name: 'automation', label: 'Automation', icon: 'sparkle' },
  { name: 'communications', label: 'Communications', icon: 'message' },
  { name: 'billing', label: 'Billing', icon: 'document' },
  { name: 'developers', label: 'Developers', icon: 'external' },
  { name: 'control-panel', label: 'Control Panel', icon: 'wrench' },
]

const isTab = (name: string | null): name is TabName => name !== null && name in PANELS

/** The tab of the URL and all tabs opened so far, which keep their input. */
function useSettingsTabs() {
  const [params, setParams] = useSearchParams()
  const tabParam = params.get('tab')
  const current = isTab(tabParam) ? tabParam : 'organization'
  const [openedTabs, setOpened] = useState<readonly TabName[]>([current])
  if (!openedTabs.includes(current)) setOpened([...openedTabs, current])
  return { current, openedTabs, open: (name: TabName) => setParams({ tab: name }, { replace: true }) }
}

export function Component() {
  useDocumentTitle(settingsMessages.title)
  const { current, openedTabs, open } = useSettingsTabs()
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <h1 className="text-title max-sm:text-[1.375rem]">{settingsMessages.heading}</h1>
      <TabList label="Settings" id="settings" tabs={TABS} current={current} onChange={open} />
      {TABS.filter(({ name }) => openedTabs.includes(name)).map(({ name }) => {
        const Panel = PANELS[name]
        return (
          <TabPanel key={name} id="settings" name={name} hidden={name !== current} className={SCROLL_MARGIN_CLASS}>
            {/* Panels are not cached offline: one that fails to load must not discard the input of another. */}
            <ErrorBoundary screen={name} isPart>
              <Suspense fallback={<TabSkeleton />}>
                <Panel />
              </Suspense>
            </ErrorBoundary>
          </TabPanel>
        )
      })}
      <UnsavedChangesGuard />
    </div>
  )
}
