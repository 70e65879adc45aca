import type { Schema } from '@/api/client'

export type CustomerSummary = Schema['CustomerSummary']
export type Customer = Schema['Customer']
export type CustomerImport = Schema['CustomerImport']
export type CustomerImportRow = Schema['CustomerRow']
export type Property = Schema['Property']
export type MergedFrom = Schema['MergedFrom']
export type MergePreview = Schema['MergePreview']
export type MergeSide = Schema['MergeSide']
export type MergePoint = Schema['MergePoint']
export type PersonalData = Schema['ErasurePreview']
export type CustomerChange = Schema['CustomerChange']
export type PropertyChange = Schema['PropertyChange']
