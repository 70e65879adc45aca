import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { ExternalButton } from '@/ui/button'
import { allFilesHref } from '../lib/file-links'
import { jobsMessages as texts } from '../messages'
import type { AutomatedFile } from '../types'

export function DownloadAll({ jobId, type }: { jobId: string; type: AutomatedFile['type'] }) {
  if (!useOnline()) return <p className="text-note text-warning">{texts.offline}</p>
  return (
    <div>
      <ExternalButton href={allFilesHref(jobId, type)} icon="download" variant="secondary" download>
        {t('Download all')}
      </ExternalButton>
    </div>
  )
}
