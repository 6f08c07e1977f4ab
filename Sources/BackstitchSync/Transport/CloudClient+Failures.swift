import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

extension CloudClient {
    /// The default wait until the next check of the server's quota, in milliseconds.
    static let waitForRoom: Int64 = 30_000

    /// Converts a missing answer into a failure of sync.
    func failure(of error: TransportError) -> SyncFailure {
        let place = options.serverPlace
        switch error.kind {
        case .unreachable, .timeout:
            var failure = SyncFailure(
                .network,
                BackstitchError(
                    .network,
                    "\(place): \(error.message); changes are kept and sent when it answers again. If it has "
                        + "never answered, check the option syncServerURL", cause: error.cause))
            failure.tookTooLong = error.kind == .timeout
            return failure
        case .tooLarge:
            var failure = SyncFailure(
                .permanent, BackstitchError(.protocolViolation, "\(place): \(error.message)", cause: error.cause))
            failure.tookTooLong = true
            return failure
        }
    }

    /// Converts an answer with a status other than 200 into a failure of sync.
    func failure(of response: TransportResponse, _ endpoint: WireEndpoint) -> SyncFailure {
        if let error = try? WireError(wireJSON: response.body) {
            return failure(of: error, endpoint, retryAfter: response.retryAfter)
        }
        let text = "the server at \(options.serverPlace) answered \(endpoint.rawValue) with status \(response.status)"
        switch response.status {
        case 401, 403, 421:
            return SyncFailure(
                .authentication,
                BackstitchError(.authentication, "\(text): the server does not accept the tokens; \(Self.tokenAdvice)")
            )
        case 413 where endpoint == .recordsModify:
            return SyncFailure(.batchRefused, BackstitchError(.server, "\(text): the request is too large"))
        case 408, 429, 500...599:
            var failure = SyncFailure(
                .busy, BackstitchError(.server, "\(text); it is asked again later"), retryAfter: response.retryAfter)
            // Request Timeout and Gateway Timeout (RFC 9110, 15.5.9 and 15.6.5).
            failure.tookTooLong = response.status == 408 || response.status == 504
            return failure
        default:
            return SyncFailure(
                .permanent,
                BackstitchError(.server, "\(text)\(response.form), which no zone server sends; \(Self.placeAdvice)"))
        }
    }

    /// Creates the failure for an unreadable answer.
    func failure(reading response: TransportResponse, _ endpoint: WireEndpoint, _ error: any Error) -> SyncFailure {
        let text =
            "the answer of the server at \(options.serverPlace) to \(endpoint.rawValue)\(response.form) cannot be read"
        return SyncFailure(
            .permanent,
            BackstitchError(
                .protocolViolation,
                hasExtensions ? text : "\(text): it does not come from a zone server; \(Self.placeAdvice)",
                cause: error))
    }

    private static let placeAdvice = "check the option syncServerURL, and the service at that address"
    private static let tokenAdvice =
        "check the options syncAPIToken and syncWebAuthToken, or give new ones to setCredentials. Unsent changes "
        + "are kept"

    /// Adds an explanation to a refusal that may come from lost answers.
    func explained(_ failure: SyncFailure) -> SyncFailure {
        guard failure.kind == .authentication, let explanation = keeper.lossExplanation else { return failure }
        return SyncFailure(
            failure.kind,
            BackstitchError(failure.error.code, "\(failure.error.message); \(explanation)", cause: failure.error.cause))
    }

    /// Converts an error of the wire into the failure of a whole request.
    func failure(of error: WireError, _ endpoint: WireEndpoint, retryAfter: Int64? = nil) -> SyncFailure {
        let wait = error.wait ?? retryAfter
        func make(_ kind: SyncFailure.Kind, _ code: BackstitchError.Code) -> SyncFailure {
            SyncFailure(
                kind,
                BackstitchError(
                    code,
                    "the server at \(options.serverPlace) refused \(endpoint.rawValue): \(error.description)"
                        + (kind == .authentication ? "; \(Self.tokenAdvice)" : ""), cause: error), retryAfter: wait)
        }
        switch error.code {
        case .authenticationRequired:
            return SyncFailure(
                .authentication,
                BackstitchError(
                    .authentication,
                    "the server at \(options.serverPlace) does not take the user's token (any more), or was given none; let the user sign in "
                        + "again. \(Self.tokenAdvice.prefix(1).uppercased())\(Self.tokenAdvice.dropFirst())",
                    cause: error))
        case .authenticationFailed: return make(.authentication, .authentication)
        case .throttled, .tryAgainLater, .internalError: return make(.busy, .server)
        case .zoneNotFound: return make(.zoneNotFound, .server)
        case .quotaExceeded:
            let isTooLarge = error.reason.begins(with: WireError.limitExceededPrefix)
            if isTooLarge { return make(endpoint == .recordsModify ? .batchRefused : .permanent, .quota) }
            var failure = make(.noRoom, .quota)
            failure.retryAfter = wait ?? Self.waitForRoom
            return failure
        case .badRequest, .validatingReferenceError, .atomicError:
            return make(endpoint == .recordsModify ? .batchRefused : .permanent, .server)
        case .accessDenied: return make(.permanent, .permissionDenied)
        case .conflict, .exists, .notFound: return make(.permanent, .server)
        }
    }
}

extension TransportResponse {
    /// Whether it has a reason for each item of a failed request, as some servers send.
    var hasItems: Bool {
        status == 400 && (try? WireError(wireJSON: body)) == nil && (try? RecordsResponse(wireAnswer: body)) != nil
    }

    /// Whether a server of CloudKit's wire reports that it does not know the caller.
    var missesTokens: Bool {
        guard [401, 403, 421].contains(status) else { return false }
        return switch (try? WireError(wireJSON: body))?.code {
        case .authenticationRequired, .authenticationFailed, .accessDenied: true
        default: false
        }
    }

    /// The unexpected content type, for messages: ` (text/html)`.
    fileprivate var form: String {
        guard let type = header("Content-Type")?.split(atByte: UInt8(ascii: ";")).first, type.isASCII,
            !type.lowercased().contains("json")
        else {
            return ""
        }
        return " (\(type.shown(40)))"
    }

    /// The header `Retry-After` in milliseconds, if it is a number of seconds.
    var retryAfter: Int64? {
        guard let seconds = header("Retry-After").flatMap(Double.init), seconds >= 0 else { return nil }
        return Int64(min(seconds, WireError.longestWait) * 1_000)
    }
}

extension WireError {
    /// The wait that the server asks for, in milliseconds.
    var wait: Int64? { retryAfter.map { Int64(min(Double($0), Self.longestWait) * 1_000) } }

    /// The longest wait before another request, in seconds, even if the server asks for more.
    fileprivate static let longestWait = 3_600.0
}
