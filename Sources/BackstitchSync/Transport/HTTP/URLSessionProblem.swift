#if canImport(Darwin) || !AsyncHTTPClient || DEBUG
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An error of `URLSession` without the address. The library's own error carries the address, which may hold secrets.
struct URLSessionProblem: Error, CustomStringConvertible {
    let description: String

    /// Returns the error that ends a request.
    static func transportError(of error: any Error, _ request: TransportRequest) -> any Error {
        let error = error as NSError
        let text = error.localizedDescription
        let secrets = URL(string: request.url).map { [$0.path, $0.query ?? ""] } ?? [request.url]
        let isHarmless = !secrets.contains { $0.count > 1 && text.contains($0) }
        let cause = URLSessionProblem(
            description: "\(error.domain) \(error.code)\(isHarmless ? ": \(text)" : "")")
        return TransportError(.unreachable, explanation(of: error, text), cause: cause)
    }

    /// Returns the likely cause of an error at the other end. It uses the error's code on Apple's systems, and
    /// elsewhere the words of libcurl and OpenSSL.
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
        // These texts concern the certificate itself, or its names.
        if text.contains("SSL certificate problem") || text.contains("certificate subject name") {
            return ConnectionProblem.notTrusted
        }
        return ConnectionProblem.unreachable
    }
}
#endif
