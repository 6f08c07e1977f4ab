#if canImport(Glibc)
import Glibc
#endif

/// The settings for the memory of a server's process.
enum ServerMemory {
    #if canImport(Glibc)
    /// The type of `mallopt` of malloc.h, which the C library's module lacks, and its constants.
    private typealias MemoryOption = @convention(c) (_ parameter: Int32, _ value: Int32) -> Int32
    private static let mostArenas: Int32 = -8
    private static let mapThreshold: Int32 = -3
    #endif

    /// Limits the unused memory of the process. glibc keeps freed memory for each thread, and keeps ever larger pieces.
    /// If a server writes answers of megabytes on several threads, that is hundreds of megabytes. With few arenas, and
    /// large pieces returned at once, it is half of that. Does nothing with another C library. Call it before threads
    /// begin.
    static func settle() {
        #if canImport(Glibc)
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let set = unsafeBitCast(symbol, to: MemoryOption.self)
        _ = set(mostArenas, 2)
        _ = set(mapThreshold, 256 << 10)
        #endif
    }
}
