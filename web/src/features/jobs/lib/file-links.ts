import { toBrowserUrl } from '@/lib/demo'
import type { AutomatedFile } from '../types'

export const downloadHref = ({ id }: Pick<AutomatedFile, 'id'>) =>
  toBrowserUrl(`/api/files/${encodeURIComponent(id)}?download=1`)

export const allFilesHref = (jobId: string, type: AutomatedFile['type']) =>
  toBrowserUrl(`/api/jobs/${encodeURIComponent(jobId)}/files.zip?type=${type}`)
