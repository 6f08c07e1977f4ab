import Backstitch

/// A build without the trait Encryption. Its stores refuse keys, so nothing ever has to be sealed.
enum MissingEncryption {
    /// Whether this build can encrypt.
    static var isBuilt: Bool {
        #if Encryption
        true
        #else
        false
        #endif
    }

    /// The error text for a program that requests encryption.
    static let advice = """
        encrypted fields need swift-crypto, and this program was built without it; build with the trait Encryption of \
        the package backstitch: .package(url: …, traits: ["Sync", "Encryption"])
        """

    static var error: BackstitchError { BackstitchError(.invalidOption, advice) }
}
