// The head of a form in both themes, with the values that are not saved yet.
import type { CSSProperties } from 'react'
import { toBrowserUrl } from '@/lib/demo'
import { type BrandTheme, getBrandPalette } from './brand-color'
import { lookMessages as texts } from './look-messages'
import type { LookValues } from './look-schema'

type Business = { name: string; logoUrl: string | null }

type LookPreviewProps = { business: Business; values: LookValues }

export function LookPreview({ business, values }: LookPreviewProps) {
  const palette = getBrandPalette(values.color)
  return (
    <div role="img" aria-label={texts.preview} className="grid gap-3 sm:grid-cols-2">
      <PreviewPage theme="toolbox-day" colors={palette?.light} business={business} values={values} />
      <PreviewPage theme="toolbox" colors={palette?.dark} business={business} values={values} />
    </div>
  )
}

type PreviewPageProps = LookPreviewProps & { theme: 'toolbox' | 'toolbox-day'; colors: BrandTheme | undefined }

function PreviewPage({ theme, colors, business: { name, logoUrl }, values }: PreviewPageProps) {
  const tokens = colors && {
    '--color-primary': colors.ink,
    '--brand-fill': colors.fill,
    '--brand-on-fill': colors.onFill,
  }
  return (
    <div
      data-theme={theme}
      data-look="business"
      style={tokens as CSSProperties | undefined}
      className="grid min-w-0 content-start gap-3 rounded-box border border-primary/30 bg-page p-3 text-base-content"
    >
      <span className="flex min-w-0 items-center gap-2 font-semibold">
        {logoUrl && (
          <img src={toBrowserUrl(logoUrl)} alt="" className="h-8 max-w-24 rounded-field bg-white object-contain" />
        )}
        <span className="min-w-0 truncate">{name}</span>
      </span>
      <span className="grid gap-2 rounded-box border border-primary/30 bg-base-100 p-3">
        <span className="font-semibold">{texts.previewTitle}</span>
        <span className="text-note text-muted">{texts.previewText}</span>
        <span className="btn btn-primary rounded-field">{texts.previewButton}</span>
        <span className="text-link text-note">{texts.previewLink}</span>
      </span>
      {values.showsPoweredBy && <span className="text-center text-caption text-muted">{texts.previewFoot}</span>}
    </div>
  )
}
