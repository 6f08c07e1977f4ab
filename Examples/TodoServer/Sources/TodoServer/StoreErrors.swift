import Backstitch
import Hummingbird

/// Answers errors of the store with statuses of HTTP.
struct StoreErrors: RouterMiddleware {
    func handle(
        _ request: Request, context: BasicRequestContext,
        next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        do { return try await next(request, context) } catch let error as BackstitchError {
            let status: HTTPResponse.Status? =
                switch error.code {
                case .saveConflict, .constraint: .conflict
                case .objectNotFound: .notFound
                case .validation, .invalidValue, .invalidPredicate, .invalidRequest: .unprocessableContent
                default: nil
                }
            if let status { throw HTTPError(status, message: error.message) }
            // The log has the cause of a database's failure; the client must not see it.
            context.logger.error("\(error)")
            throw HTTPError(.serviceUnavailable, message: "the database does not answer; try again")
        }
    }
}
