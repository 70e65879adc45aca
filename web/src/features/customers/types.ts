import type { Schema } from '@/api/client'

export type CustomerSummary = Schema['CustomerSummary']
export type Customer = Schema['Customer']
export type CustomerImport = Schema['CustomerImport']
export type CustomerImportRow = Schema['CustomerRow']
export type Duplicate = Schema['CustomerDuplicate']
export type Place = Schema['Property']
export type MergedFrom = Schema['MergedFrom']
export type MergePreview = Schema['MergePreview']
export type MergeSide = Schema['MergeSide']
export type PersonalData = Schema['ErasurePreview']
export type CustomerChange = Schema['CustomerChange']
export type PlaceChange = Schema['PropertyChange']
