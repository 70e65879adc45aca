// Where a job's files are saved from: one by one, or all of a kind together.
import { browserAddress } from '@/lib/demo'
import type { AutomatedFile } from '../types'

export const downloadHref = ({ id }: Pick<AutomatedFile, 'id'>) =>
  browserAddress(`/api/files/${encodeURIComponent(id)}?download=1`)

export const allFilesHref = (jobId: string, type: AutomatedFile['type']) =>
  browserAddress(`/api/jobs/${encodeURIComponent(jobId)}/files.zip?type=${type}`)
