import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers what operators ask. It knows no zone, no user and no token.
struct AdministrationResponder: HTTPResponder {
    typealias Context = ZoneRequestContext

    let readiness: Readiness
    let metrics: PrometheusMetricsFactory?
    let runner: any WorkRunner

    func respond(to request: Request, context: ZoneRequestContext) async throws -> Response {
        guard request.method == .get || request.method == .head else {
            return StatusAnswer.answer(.methodNotAllowed, #"{"status":"only GET is answered here"}"#)
        }
        var response = try await answer(request.head.path ?? "/")
        if request.method == .head { response.body = ResponseBody() }
        return response
    }

    private func answer(_ path: String) async throws -> Response {
        switch path.prefix(while: { $0 != "?" }) {
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
