#if canImport(Glibc)
import Glibc
#endif

/// How a server's process gets and gives back memory.
enum ServerMemory {
    #if canImport(Glibc)
    /// `mallopt` of malloc.h, which the module of the C library leaves out, and its numbers.
    private typealias MemoryOption = @convention(c) (_ parameter: Int32, _ value: Int32) -> Int32
    private static let mostArenas: Int32 = -8
    private static let mapThreshold: Int32 = -3
    #endif

    /// glibc keeps what was freed, for each thread apart, and comes to keep ever larger pieces: of a server that writes
    /// answers of megabytes on several threads that is hundreds of megabytes. With few arenas, and large pieces given
    /// back at once, it is half of that. Does nothing with another C library. Call before threads begin.
    static func settle() {
        #if canImport(Glibc)
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let set = unsafeBitCast(symbol, to: MemoryOption.self)
        _ = set(mostArenas, 2)
        _ = set(mapThreshold, 256 << 10)
        #endif
    }
}
