import Backstitch
import Foundation

/// The libraries that know HTTP.
package enum HTTPLibrary: String, Sendable, CaseIterable {
    #if AsyncHTTPClient && !canImport(Darwin)
    /// AsyncHTTPClient, where the trait of that name is on.
    case asyncHTTPClient
    #endif
    #if canImport(Darwin) || !AsyncHTTPClient || DEBUG
    /// Foundation's `URLSession`. A release build with the trait has none of it: off Apple's systems the program
    /// would load libcurl and what that needs, for nothing. Debug builds have both, for the tests.
    case urlSession
    #endif

    /// The library of this build: `URLSession` on Apple's systems, which know their proxies, VPNs and authorities;
    /// elsewhere AsyncHTTPClient where its trait is on.
    #if canImport(Darwin) || !AsyncHTTPClient
    static let preferred = HTTPLibrary.urlSession
    #else
    static let preferred = HTTPLibrary.asyncHTTPClient
    #endif

    /// The connections of the process that trust these certificates.
    ///
    /// Stores share them, and they live as long as the process does.
    ///
    /// - Parameter certificates: The text of a file of certificates (PEM); nil for those of the system.
    /// - Throws: ``BackstitchError/Code/invalidOption`` when the library takes only those of the system; another error
    ///   when there are none in the text.
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
