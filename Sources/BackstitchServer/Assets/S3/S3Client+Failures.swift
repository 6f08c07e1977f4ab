#if TLS
import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension S3Client {
    /// The failure described by an answer.
    static func failure(_ status: Int, _ document: S3Document, _ headers: HTTPHeaders) -> S3Failure {
        let code = document.text("Code").map { String($0.prefix(80)) } ?? ""
        let message = document.text("Message").map { String($0.prefix(300)) } ?? "status \(status)"
        let region = headers.first(name: "x-amz-bucket-region") ?? document.text("Region")
        // A proxy in front of the store answers in another form.
        let isRedirect = (300..<400).contains(status) && code.isEmpty && region == nil
        return S3Failure(
            isRedirect ? .malformed : .refused(status: status, code: code),
            "\(code.isEmpty ? "" : "\(code): ")\(message)",
            region: region.map { String($0.prefix(80)) },
            date: headers.first(name: "date").map { String($0.prefix(80)) })
    }

    /// The failure for an error of the connection.
    ///
    /// - Throws: Errors that do not belong to the connection: of the sent file, or of a cancelled task.
    static func failure(of error: any Error) throws -> S3Failure {
        if let error = error as? S3Failure { return error }
        if error is FilePieces.Changed || error is CancellationError { throw error }
        if Task.isCancelled { throw CancellationError() }
        let text = "\(error)"
        if let error = error as? HTTPClientError {
            let late: [HTTPClientError] = [
                .connectTimeout, .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout,
            ]
            return S3Failure(late.contains(error) ? .late : .unreachable, text)
        }
        // The other end closed the connection within an answer.
        if let error = error as? HTTPParserError, error == .invalidEOFState { return S3Failure(.unreachable, text) }
        if error is HTTPParserError { return S3Failure(.malformed, "the service there does not speak HTTP") }
        if text.contains("WRONG_VERSION_NUMBER") {
            return S3Failure(
                .malformed, "the service there does not speak TLS; should its address begin with http:// ?")
        }
        if text.contains("CERTIFICATE_VERIFY_FAILED") {
            return S3Failure(.malformed, "this machine does not trust its certificate")
        }
        return S3Failure(.unreachable, text)
    }
}
#endif
