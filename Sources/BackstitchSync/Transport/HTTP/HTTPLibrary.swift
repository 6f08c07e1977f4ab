import Backstitch
import Foundation

/// The HTTP libraries that can carry requests.
package enum HTTPLibrary: String, Sendable, CaseIterable {
    #if AsyncHTTPClient && !canImport(Darwin)
    /// AsyncHTTPClient, if the trait of that name is on.
    case asyncHTTPClient
    #endif
    #if canImport(Darwin) || !AsyncHTTPClient || DEBUG
    /// Foundation's `URLSession`. A release build with the trait leaves it out: outside Apple's systems the program
    /// would load libcurl and its dependencies for nothing. Debug builds have both, for the tests.
    case urlSession
    #endif

    /// The library of this build. Apple's systems use `URLSession`, which knows the system's proxies, VPNs and
    /// authorities. Other systems use AsyncHTTPClient if its trait is on.
    #if canImport(Darwin) || !AsyncHTTPClient
    static let preferred = HTTPLibrary.urlSession
    #else
    static let preferred = HTTPLibrary.asyncHTTPClient
    #endif

    /// Returns the connections of the process that trust these certificates.
    ///
    /// Stores share them, and they live as long as the process.
    ///
    /// - Parameter certificates: The text of a file of certificates (PEM); nil for those of the system.
    /// - Throws: ``BackstitchError/Code/invalidOption`` when the library accepts only those of the system; another
    ///   error when the text contains none.
    func connections(trusting certificates: Data?) throws -> any Transport {
        switch self {
        #if AsyncHTTPClient && !canImport(Darwin)
        case .asyncHTTPClient: try AsyncHTTPClientTransport(trusting: certificates)
        #endif
        #if canImport(Darwin) || !AsyncHTTPClient || DEBUG
        case .urlSession: try URLSessionTransport(trusting: certificates)
        #endif
        }
    }
}
