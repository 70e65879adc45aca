import { useState } from 'react'
import { FILE_CATEGORIES, type DocumentCategory } from '@/domain/job'
import { t } from '@/lib/i18n'
import type { AutomatedFile, JobDetail } from '../types'
import { AddFiles } from './add-files'
import { DownloadAll } from './download-all'
import { FileRow } from './file-row'

/** Types of an added document. */
const DOCUMENT_CATEGORIES = ['estimate', 'invoice'] as const satisfies readonly DocumentCategory[]

type DocumentsTabProps = { job: JobDetail; documents: readonly AutomatedFile[]; timeZone: string }

export function DocumentsTab({ job, documents, timeZone }: DocumentsTabProps) {
  const [category, setCategory] = useState<DocumentCategory>('estimate')
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <AddFiles jobId={job.id} kind="document" about={{ category }}>
        <label className="flex items-center gap-2 text-note">
          <span className="text-muted">{t('Kind')}</span>
          <select
            className="select w-auto! pr-9!"
            value={category}
            onChange={(event) => setCategory(event.target.value as DocumentCategory)}
          >
            {DOCUMENT_CATEGORIES.map((value) => (
              <option key={value} value={value}>
                {FILE_CATEGORIES[value].label}
              </option>
            ))}
          </select>
        </label>
      </AddFiles>
      {documents.length === 0 && (
        <p className="text-muted">{t('No documents yet. Estimates and other papers of this job appear here.')}</p>
      )}
      <ul className="grid gap-2">
        {documents.map((document) => (
          <FileRow key={document.id} jobId={job.id} file={document} timeZone={timeZone} />
        ))}
      </ul>
      {documents.length > 0 && <DownloadAll jobId={job.id} type="document" />}
    </div>
  )
}
