import Backstitch

/// A build without the trait Encryption: its stores refuse keys, so that nothing is ever to be sealed.
enum MissingEncryption {
    /// Whether this build can encrypt.
    static var isBuilt: Bool {
        #if Encryption
        true
        #else
        false
        #endif
    }

    /// The words to a program that wants encryption.
    static let advice = """
        encrypted fields need swift-crypto, and this program was built without it; build with the trait Encryption of \
        the package backstitch: .package(url: …, traits: ["Sync", "Encryption"])
        """

    static var error: BackstitchError { BackstitchError(.invalidOption, advice) }
}
