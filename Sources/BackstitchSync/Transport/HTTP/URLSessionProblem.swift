#if canImport(Darwin) || !AsyncHTTPClient || DEBUG
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An error of `URLSession`, without the address, which the library's own carries along and which may hold secrets.
struct URLSessionProblem: Error, CustomStringConvertible {
    let description: String

    /// The error that a request ends with.
    static func transportError(of error: any Error, _ request: TransportRequest) -> any Error {
        let error = error as NSError
        let text = error.localizedDescription
        let secrets = URL(string: request.url).map { [$0.path, $0.query ?? ""] } ?? [request.url]
        let isHarmless = !secrets.contains { $0.count > 1 && text.contains($0) }
        let cause = URLSessionProblem(
            description: "\(error.domain) \(error.code)\(isHarmless ? ": \(text)" : "")")
        return TransportError(.unreachable, explanation(of: error, text), cause: cause)
    }

    /// Returns what an error tells of the program at the other end: its code on Apple's systems, elsewhere the words of
    /// libcurl and OpenSSL.
    private static func explanation(of error: NSError, _ text: String) -> String {
        switch URLError.Code(rawValue: error.code) {
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            return ConnectionProblem.notTrusted
        case .secureConnectionFailed: return ConnectionProblem.notTLS
        case .badServerResponse, .cannotParseResponse: return ConnectionProblem.notHTTP
        default: break
        }
        if text.contains("HTTP/0.9") || text.contains("Weird server reply") { return ConnectionProblem.notHTTP }
        if text.contains("wrong version number") || text.contains("packet length too long") {
            return ConnectionProblem.notTLS
        }
        // Of the certificate itself, and of its names.
        if text.contains("SSL certificate problem") || text.contains("certificate subject name") {
            return ConnectionProblem.notTrusted
        }
        return ConnectionProblem.unreachable
    }
}
#endif
