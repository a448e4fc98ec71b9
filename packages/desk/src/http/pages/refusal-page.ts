import type { ReportError } from '../../errors/report-error.ts';
import { errorResponse } from '../error-response.ts';
import { markup } from './markup.ts';
import { pageResponse } from './page-response.ts';

/** What somebody is shown whose request was refused, or with which something went wrong. */
export async function refusalPage(error: unknown, onError: ReportError): Promise<Response> {
  const response = errorResponse(error, onError);
  // It was made here.
  const { error: said } = (await response.json()) as { readonly error: { message: string } };
  return pageResponse({
    status: response.status,
    title: 'This cannot be done',
    body: markup`<p>${said.message}</p>`,
  });
}
