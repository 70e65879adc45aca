// An answer that is no success becomes one error, and the error one text.
import { describe, expect, it } from 'vitest'
import { buildProblem } from '@/testing/builders'
import { problemAnswer, startFakeServer } from '@/testing/fake-server'
import { api, ApiError, NetworkError, unwrap } from './client'
import { describeError, isTemporary, waitText } from './errors'

const FALLBACK = { title: 'Login failed', description: 'Invalid email or password' }

async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('unwrap', () => {
  it('reads a problem document into an error that says status and detail', async () => {
    const server = startFakeServer()
    const problem = buildProblem(422, 'validation_failed', {
      detail: 'Some fields are wrong.',
      errors: { zip: 'Zip code is required' },
      requestId: 'r-9',
    })
    server.on('GET', '/api/auth/me', problemAnswer(problem))
    const error = await failure(unwrap(api.GET('/api/auth/me')))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      message: '422: Some fields are wrong.',
      code: 'validation_failed',
      errors: { zip: 'Zip code is required' },
      requestId: 'r-9',
    })
  })

  it('falls back to the status text where there is no document', async () => {
    const server = startFakeServer()
    server.on('GET', '/api/auth/me', { status: 502 })
    expect(await failure(unwrap(api.GET('/api/auth/me')))).toMatchObject({
      message: '502: ',
      status: 502,
      code: undefined,
    })
  })

  it('tells no network from a refusal', async () => {
    const server = startFakeServer()
    server.goOffline()
    const error = await failure(unwrap(api.GET('/api/auth/me')))
    expect(error).toBeInstanceOf(NetworkError)
    expect(isTemporary(error)).toBe(true)
    expect(describeError(error, FALLBACK).title).toBe('You are offline')
  })

  it('keeps how long to wait', async () => {
    const server = startFakeServer()
    server.on('GET', '/api/auth/me', problemAnswer(buildProblem(429, 'too_many_requests'), { 'Retry-After': '120' }))
    const error = await failure(unwrap(api.GET('/api/auth/me')))
    expect(describeError(error).description).toBe('Please wait 2 minutes and try again.')
  })
})

describe('describeError', () => {
  it('lets the server’s sentence speak, and the caller’s where it is silent', () => {
    const told = new ApiError({ status: 401, code: 'invalid_credentials', detail: 'Invalid email or password' })
    expect(describeError(told, FALLBACK).description).toBe('Invalid email or password')
    expect(describeError(new ApiError({ status: 500, code: 'internal', detail: 'x' }), FALLBACK)).toEqual(FALLBACK)
    expect(describeError(new ApiError({ status: 502, detail: 'Bad Gateway' }), FALLBACK)).toEqual(FALLBACK)
    expect(describeError(new Error('boom'), FALLBACK)).toEqual(FALLBACK)
  })

  it('counts waiting in seconds, then in minutes', () => {
    expect(waitText(1)).toBe('1 second')
    expect(waitText(30)).toBe('30 seconds')
    expect(waitText(600)).toBe('10 minutes')
  })
})
