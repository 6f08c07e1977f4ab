import BackstitchSQL
import CloudWire
import Foundation
import HTTPTypes
import Hummingbird
import Logging

extension AdministrationDesk {
    func failure(_ error: any Error, _ path: String) -> Response {
        let error = known(error, path)
        let failure = AdministrationJSON.Failure(error: .init(code: "\(error.code)", message: error.message))
        // The failure holds two strings, so its encoding cannot fail.
        let bytes = (try? AdministrationJSON.encoder.encode(failure)) ?? Data("{}".utf8)
        var response = StatusAnswer.answer(status(error.code), String(decoding: bytes, as: UTF8.self))
        if error.code == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }

    private func known(_ error: any Error, _ path: String) -> IdentityError {
        switch error {
        case let error as IdentityError: return error
        case let error as WireError where error.code == .throttled: return IdentityError(.throttled, error.reason)
        case let error as WireError where error.code == .badRequest: return IdentityError(.invalid, error.reason)
        case is TransactionFailure: return IdentityError(.unavailable, "the storage is busy; try again")
        default:
            configuration.logger.error(
                "an administrator's request failed", metadata: ["request": "\(path)", "error": "\(error)"])
            return IdentityError(.failed, "the server failed; its log has the details")
        }
    }

    private func status(_ code: IdentityError.Code) -> HTTPResponse.Status {
        switch code {
        case .invalid: .badRequest
        case .notFound: .notFound
        case .exists: .conflict
        case .limit: .unprocessableContent
        case .unauthorized: .unauthorized
        case .throttled: .tooManyRequests
        case .unavailable: .serviceUnavailable
        default: .internalServerError
        }
    }
}
