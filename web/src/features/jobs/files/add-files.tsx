import { type ReactNode, useRef } from 'react'
import { useOnline } from '@/lib/hooks/use-online'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { Spinner } from '@/ui/spinner'
import { StatusLine } from '@/ui/status-line'
import type { FileDetails } from '../file-mutations'
import { ACCEPTED_TYPES, type FileKind } from '../lib/file-rules'
import { type Upload, useUploads } from '../lib/use-uploads'
import { jobsMessages as texts } from '../messages'

const FILE_KIND_TEXTS = {
  photo: {
    add: t('Add photos'),
    sending: (count: number) => plural(count, 'Sending {count} photo...', 'Sending {count} photos...'),
    icon: 'camera',
  },
  document: {
    add: t('Add documents'),
    sending: (count: number) => plural(count, 'Sending {count} document...', 'Sending {count} documents...'),
    icon: 'document',
  },
} as const satisfies Record<FileKind, unknown>

type AddFilesProps = {
  jobId: string
  kind: FileKind
  about: FileDetails
  /** Stands beside the button. */ children?: ReactNode
}

export function AddFiles({ jobId, kind, about, children }: AddFilesProps) {
  const input = useRef<HTMLInputElement>(null)
  const isOnline = useOnline()
  const { preparing, refused, uploads, choose, again, drop } = useUploads(jobId, kind, about)
  const { add, sending, icon } = FILE_KIND_TEXTS[kind]
  const underWay =
    preparing +
    uploads
      .filter(({ failureText: error }) => error === undefined)
      .reduce((count, { files }) => count + files.length, 0)

  const chosen = (element: HTMLInputElement) => {
    void choose(Array.from(element.files ?? []))
    // The same file may be chosen again after it was removed.
    element.value = ''
  }

  return (
    <div className="grid gap-2">
      {/* The button below is the only one that people and their readers meet: this one does its work. */}
      <input
        ref={input}
        type="file"
        accept={ACCEPTED_TYPES[kind]}
        multiple
        hidden
        onChange={(event) => chosen(event.currentTarget)}
      />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button variant="secondary" icon={icon} disabled={!isOnline} onClick={() => input.current?.click()}>
          {add}
        </Button>
        {children}
      </div>
      {!isOnline && <p className="text-note text-warning">{texts.offline}</p>}
      {underWay > 0 && (
        <p role="status" className="flex items-center gap-2 text-note text-info">
          <Spinner size="small" />
          {sending(underWay)}
        </p>
      )}
      {refused.map((sentence) => (
        <div key={sentence} role="alert">
          <StatusLine tone="error" icon="alert">
            {sentence}
          </StatusLine>
        </div>
      ))}
      {uploads
        .filter(({ failureText: error }) => error !== undefined)
        .map((upload) => (
          <FailedUpload
            key={upload.key}
            upload={upload}
            onAgain={() => void again(upload)}
            onDrop={() => drop(upload.key)}
          />
        ))}
    </div>
  )
}

function FailedUpload({
  upload: { files, failureText: error },
  onAgain,
  onDrop,
}: {
  upload: Upload
  onAgain: () => void
  onDrop: () => void
}) {
  return (
    <Notice tone="error" title={texts.files.failed.title}>
      <p className="wrap-anywhere">{files.map(({ name }) => name).join(', ')}</p>
      <p>{error}</p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button variant="secondary" icon="refresh" onClick={onAgain}>
          {t('Try again')}
        </Button>
        <Button variant="ghost" onClick={onDrop}>
          {t('Leave out')}
        </Button>
      </div>
    </Notice>
  )
}
