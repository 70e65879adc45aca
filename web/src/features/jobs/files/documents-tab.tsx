// The documents of a job: what was sent to the customer, and what the office put in.
import type { AutomatedFile, JobDetail } from '../types'
import { AddFiles } from './add-files'
import { DownloadAll } from './download-all'
import { FileRow } from './file-row'

type DocumentsTabProps = { job: JobDetail; documents: readonly AutomatedFile[]; timeZone: string }

export function DocumentsTab({ job, documents, timeZone }: DocumentsTabProps) {
  return (
    <div className="grid gap-4">
      <AddFiles jobId={job.id} kind="document" moment={null} />
      {documents.length === 0 && <p className="text-muted">No documents yet. Estimates and other papers of this job appear here.</p>}
      <ul className="grid gap-2">
        {documents.map((document) => <FileRow key={document.id} jobId={job.id} file={document} timeZone={timeZone} />)}
      </ul>
      {documents.length > 0 && <DownloadAll jobId={job.id} type="document" />}
    </div>
  )
}
