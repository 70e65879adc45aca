import { useEffect, useRef, useState } from 'react'
import { usePageAction } from '@/lib/hooks/use-page-action'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'
import { type Tab, TabList, TabPanel } from '@/ui/tabs'
import type { AutomatedFile, JobDetail } from '../types'
import { DocumentsTab } from './documents-tab'
import { PhotosTab } from './photos-tab'

/** Takes a person to the panel where the URL asks for photos. */
function useScrollToPhotos() {
  const panel = useRef<HTMLDivElement>(null)
  const [action, ask] = usePageAction()
  useEffect(() => {
    if (action !== 'photos') return
    ask(undefined)
    // Once the sheet that leads here is closed: behind it nothing takes the focus.
    setTimeout(() => {
      panel.current?.scrollIntoView({ block: 'start' })
      panel.current?.focus({ preventScroll: true })
    })
  }, [action, ask])
  return panel
}

type TabName = AutomatedFile['type']

const TABS: readonly Tab<TabName>[] = [
  { name: 'photo', label: t('Photos') },
  { name: 'document', label: t('Documents') },
]
/** Documents contain prices and are hidden from a crew. */
const CREW_TABS = TABS.filter(({ name }) => name === 'photo')

type JobFilesPanelProps = { job: JobDetail; timeZone: string }

export function JobFilesPanel({ job, timeZone }: JobFilesPanelProps) {
  const { role } = useCurrentUser()
  const panel = useScrollToPhotos()
  const [current, setCurrent] = useState<TabName>('photo')
  const photos = job.files.filter(({ type }) => type === 'photo')
  const documents = job.files.filter(({ type }) => type === 'document')
  return (
    <div ref={panel} tabIndex={-1} className="scroll-mt-20 rounded-box">
      <Card title={t('Automated Content')} icon="camera">
        <TabList
          small
          label={t('Content')}
          id="content"
          tabs={role === 'crew' ? CREW_TABS : TABS}
          current={current}
          onChange={setCurrent}
        />
        <TabPanel id="content" name="photo" hidden={current !== 'photo'} className="mt-4">
          <PhotosTab job={job} photos={photos} timeZone={timeZone} />
        </TabPanel>
        <TabPanel id="content" name="document" hidden={current !== 'document'} className="mt-4">
          <DocumentsTab job={job} documents={documents} timeZone={timeZone} />
        </TabPanel>
      </Card>
    </div>
  )
}
