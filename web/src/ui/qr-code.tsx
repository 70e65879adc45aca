// A QR code, dark on white in either theme: a camera reads nothing else.
import type { Schema } from '@/api/client'
import { classNames } from '@/lib/class-names'

type QrCodeProps = { picture: Schema['QrPicture']; /** What it opens. */ label: string; className?: string }

export function QrCode({ picture: { size, path }, label, className }: QrCodeProps) {
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
      className={classNames('rounded-field bg-white text-black', className)}
    >
      <path d={path} fill="currentColor" />
    </svg>
  )
}
