import Backstitch
import CloudWire
import Foundation

extension CloudClient {
    /// The failure that the absence of an answer means.
    func failure(of error: TransportError) -> SyncFailure {
        let place = "\(options.serverURL.host ?? "the server")\(options.serverURL.port.map { ":\($0)" } ?? "")"
        switch error.kind {
        case .unreachable, .timeout:
            return SyncFailure(
                .network,
                BackstitchError(
                    .network, "\(place): \(error.message); changes are kept and sent when it answers again",
                    cause: error.cause))
        case .tooLarge:
            return SyncFailure(
                .permanent, BackstitchError(.protocolViolation, "\(place): \(error.message)", cause: error.cause))
        }
    }

    /// The failure that an answer with a status other than 200 means.
    func failure(of response: TransportResponse, _ endpoint: WireEndpoint) -> SyncFailure {
        if let error = try? WireError(wireJSON: response.body) {
            return failure(of: error, endpoint, retryAfter: response.retryAfter)
        }
        let text = "the server answered \(endpoint.rawValue) with status \(response.status)"
        switch response.status {
        case 401, 403, 421:
            return SyncFailure(.authentication, BackstitchError(.authentication, "\(text); give it a valid token"))
        case 413 where endpoint == .recordsModify:
            return SyncFailure(.batchRefused, BackstitchError(.server, "\(text): the request is too large"))
        case 429, 500...599:
            return SyncFailure(
                .busy, BackstitchError(.server, "\(text); it is asked again later"), retryAfter: response.retryAfter)
        default:
            return SyncFailure(.permanent, BackstitchError(.server, "\(text); check the option syncServerURL"))
        }
    }

    /// The failure that an error of the wire means, of a request as a whole.
    func failure(of error: WireError, _ endpoint: WireEndpoint, retryAfter: Int64? = nil) -> SyncFailure {
        let wait = error.retryAfter.map { Int64($0) * 1_000 } ?? retryAfter
        func make(_ kind: SyncFailure.Kind, _ code: BackstitchError.Code) -> SyncFailure {
            SyncFailure(
                kind,
                BackstitchError(code, "the server refused \(endpoint.rawValue): \(error.description)", cause: error),
                retryAfter: wait)
        }
        switch error.code {
        case .authenticationFailed, .authenticationRequired: return make(.authentication, .authentication)
        case .throttled, .tryAgainLater, .internalError: return make(.busy, .server)
        case .zoneNotFound: return make(.zoneNotFound, .server)
        case .quotaExceeded:
            let isTooLarge = error.reason.hasPrefix(WireError.limitExceededPrefix)
            return make(isTooLarge && endpoint == .recordsModify ? .batchRefused : .permanent, .quota)
        case .badRequest, .validatingReferenceError, .atomicError:
            return make(endpoint == .recordsModify ? .batchRefused : .permanent, .server)
        case .accessDenied, .conflict, .exists, .notFound: return make(.permanent, .server)
        }
    }
}

extension TransportResponse {
    /// Milliseconds of the header `Retry-After`, where it is a number of seconds.
    var retryAfter: Int64? {
        guard let seconds = header("Retry-After").flatMap(Double.init), seconds >= 0, seconds < 1e6 else { return nil }
        return Int64(seconds * 1_000)
    }
}
