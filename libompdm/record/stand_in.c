/* Empty on purpose: the library made of this has only a soname (libomp.so) and a need
 * (libomp.so.5). */
typedef int ompdm_stand_in;
