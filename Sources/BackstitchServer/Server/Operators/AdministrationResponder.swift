import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers operators' questions, and passes administrators' requests to ``desk``. The responder itself has no access to
/// zones, users or tokens.
struct AdministrationResponder: HTTPResponder {
    typealias Context = ZoneRequestContext

    let readiness: Readiness
    let metrics: PrometheusMetricsFactory?
    let runner: any WorkRunner
    let desk: AdministrationDesk

    func respond(to request: Request, context: ZoneRequestContext) async throws -> Response {
        let path = (request.head.path ?? "/").prefix { $0 != "?" }
        do { try HeadCheck.refuseMarked(request) } catch { return .failure(error) }
        var response =
            if path.hasPrefix("/admin/") { await desk.answer(request, String(path.dropFirst(7)), context) } else {
                try await answer(request, path)
            }
        response.frame(for: request)
        return response
    }

    private func answer(_ request: Request, _ path: Substring) async throws -> Response {
        guard request.method == .get || request.method == .head else {
            return StatusAnswer.answer(.methodNotAllowed, #"{"status":"only GET is answered here"}"#)
        }
        switch path {
        case "/health": return StatusAnswer.health
        case "/ready": return StatusAnswer.ready(await readiness.reason())
        case "/metrics":
            guard let metrics else { break }
            let text = try await runner.run { metrics.text() + ProcessMeasures.text() }
            return StatusAnswer.answer(.ok, text, contentType: "text/plain; version=0.0.4; charset=utf-8")
        default: break
        }
        return StatusAnswer.answer(.notFound, #"{"status":"nothing is here; see /health, /ready and /metrics"}"#)
    }
}
