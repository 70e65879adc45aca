import { useState } from 'react'
import { FILE_CATEGORIES, FILE_DELIVERIES, FILE_DOCUMENT_KINDS, FILE_TOOLS, NOT_SENT } from '@/domain/job'
import { MESSAGE_CHANNELS } from '@/domain/message'
import { classNames } from '@/lib/class-names'
import { toBrowserUrl } from '@/lib/demo'
import { formatDate } from '@/lib/format/date'
import { formatBytes } from '@/lib/format/number'
import { useOnline } from '@/lib/hooks/use-online'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { IconButton } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { downloadHref } from '../lib/file-links'
import type { AutomatedFile } from '../types'
import { RemoveFileDialog } from './remove-file-dialog'

const LINK = 'inline-flex min-h-11 items-center gap-1.5 text-note font-semibold text-primary hover:underline'

type FileRowProps = {
  jobId: string
  file: AutomatedFile
  timeZone: string
  /** Photos open over the page, papers in a tab of their own. */ onView?: () => void
  /** Under the photo it was drawn on. */ isBeside?: boolean
}

export function FileRow({ jobId, file, timeZone, onView, isBeside = false }: FileRowProps) {
  const { role } = useCurrentUser()
  const isOnline = useOnline()
  const [isRemoving, setIsRemoving] = useState(false)
  const { name, url, caption } = file
  return (
    <li className={classNames('flex gap-3 rounded-field border border-primary/22 p-2', isBeside && 'ml-6')}>
      <Thumb file={file} />
      <div className="min-w-0 flex-1">
        <p className="font-semibold wrap-anywhere">{name}</p>
        {caption && <p className="text-note wrap-anywhere">{caption}</p>}
        <p className="text-caption text-muted">{describeFile(file, timeZone)}</p>
        <p className="mt-1.5 flex flex-wrap gap-1.5">
          <Badges file={file} />
        </p>
        <p className="-mb-1 flex flex-wrap items-center gap-x-2 sm:gap-x-3">
          {onView ? (
            <button type="button" className={LINK} onClick={onView}>
              <Icon name="eye" className="size-4" />
              {t('View')}
              <span className="sr-only"> {name}</span>
            </button>
          ) : (
            <a href={toBrowserUrl(url)} target="_blank" rel="noopener noreferrer" className={LINK}>
              <Icon name="eye" className="size-4" />
              {t('View')}
              <span className="sr-only"> {t('{name} (new tab)', { name })}</span>
            </a>
          )}
          <a href={downloadHref(file)} download className={LINK}>
            <Icon name="download" className="size-4" />
            {t('Download')}
            <span className="sr-only"> {name}</span>
          </a>
          {role !== 'crew' && isRemovable(file) && (
            <IconButton
              label={t('Remove {name}', { name })}
              icon="trash"
              disabled={!isOnline}
              className="ml-auto size-11! text-muted"
              onClick={() => setIsRemoving(true)}
            />
          )}
        </p>
      </div>
      <RemoveFileDialog open={isRemoving} onClose={() => setIsRemoving(false)} jobId={jobId} file={file} />
    </li>
  )
}

/** What a person added to the job: papers that were made here stay, and photos of the request belong to it. */
function isRemovable({ automationTool, by }: AutomatedFile): boolean {
  return automationTool === 'job_tracker' && Boolean(by)
}

/** Size, channel, date, and what made it. */
function describeFile(
  { size, sentVia, sentAt, createdAt, by, automationTool }: AutomatedFile,
  timeZone: string,
): string {
  const way = sentVia ? MESSAGE_CHANNELS[sentVia].label : FILE_TOOLS[automationTool]
  return [formatBytes(size), way, formatDate(sentAt ?? createdAt, timeZone), by].filter(Boolean).join(' · ')
}

function Badges({ file: { category, paper, status, madeFrom } }: { file: AutomatedFile }) {
  const what = FILE_CATEGORIES[category]
  const delivery = status ? FILE_DELIVERIES[status] : NOT_SENT
  return (
    <>
      <Badge tone={what.tone} icon={what.icon}>
        {paper && paper !== 'upload' ? FILE_DOCUMENT_KINDS[paper] : what.label}
      </Badge>
      {madeFrom && (
        <Badge tone="info" icon="pencil">
          {t('Marked')}
        </Badge>
      )}
      {paper === 'upload' && (
        <Badge tone="neutral" icon="user">
          {FILE_DOCUMENT_KINDS.upload}
        </Badge>
      )}
      <Badge tone={delivery.tone} icon={delivery.icon}>
        {delivery.label}
      </Badge>
    </>
  )
}

function Thumb({ file: { thumbUrl, type } }: { file: AutomatedFile }) {
  const [isMissing, setIsMissing] = useState(false)
  return (
    <span
      aria-hidden="true"
      className="grid size-16 shrink-0 sm:size-20 place-items-center overflow-hidden rounded-field border border-primary/22 bg-base-200 text-muted"
    >
      {thumbUrl && !isMissing ? (
        <img
          src={toBrowserUrl(thumbUrl)}
          alt=""
          loading="lazy"
          decoding="async"
          className="size-full object-cover"
          onError={() => setIsMissing(true)}
        />
      ) : (
        <Icon name={type === 'photo' ? 'camera' : 'document'} className="size-7" />
      )}
    </span>
  )
}
